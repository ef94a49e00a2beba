# SPDX-License-Identifier: GPL-2.0-only
#
# Figures in words that fit a column; shared by the table and the report.

def fixed($digits):
	pow(10; $digits) as $p
	| (. * $p | round | tostring) as $n
	| if $digits == 0 then $n
	  else ("0" * ([$digits + 1 - ($n | length), 0] | max) // "") + $n
		| .[:-$digits] + "." + .[-$digits:]
	  end;

# Three digits that mean something.
def digits3:
	if . >= 99.95 then fixed(0) elif . >= 9.995 then fixed(1) else fixed(2) end;

def thousands:
	(round | tostring) as $n
	| [range(($n | length) % 3; $n | length; 3) as $i | $n[$i:$i + 3]]
	| ([$n[:($n | length) % 3]] - [""]) + . | join(",");

def figure($unit):
	if . == null then "–"
	elif $unit == "ns" then
		if . < 999.5 then digits3 + " ns"
		elif . < 999500 then (. / 1000 | digits3) + " µs"
		else (. / 1000000 | digits3) + " ms" end
	elif $unit == "pps" then
		if . < 999.5 then digits3 + " /s"
		elif . < 999500 then (. / 1000 | digits3) + " k/s"
		else (. / 1000000 | digits3) + " M/s" end
	elif $unit == "percent" then fixed(1) + "%"
	else thousands end;

# Lowest and highest sample, in percent from the median.
def spread:
	if .median == 0 then [.max] else [(.median - .min) / .median, (.max - .median) / .median] end
	| if max == 0 then "0%" elif max < 0.01 then "<1%"
	  else "−\(.[0] * 100 | fixed(0))/+\(.[1] * 100 | fixed(0))%" end;

def times: if . == null then "–" else digits3 + "×" end;

# What the floor leaves of a result: new/floor, and how much of the ratio that
# the floor allows (old/floor) was reached.  Nothing where no floor is named.
def over_floor: if .floor then .new.median / .floor else null end;
def allowed: if .floor then .old.median / .floor else null end;
def reached: if .floor then .floor / .new.median else null end;

# The new path without what the floor costs, and that as a part of the old one's.
def net: if .floor then .new.median - .floor else null end;
def net_over_old: if .floor then net / (.old.median - .floor) else null end;

def percent: if . == null then "–" else (. * 100 | fixed(0)) + "%" end;
def two_digits: if . == null then "–" else fixed(2) end;

def clock_name:
	if .clock == "icount" then "counted clock"
	else "wall clock" end;
def unit_name:
	if .unit == "insn" then "instructions of one operation, kernel and program"
	elif .unit == "count" then "how often in one call"
	elif .unit == "percent" then "share of the program's processor time"
	elif .unit == "pps" then "operations a second, more is better"
	else "time of one operation" end;

# Time is worth little where the usual run takes far longer than the quickest:
# something else had the machine, now and then and not from all sides alike.  So
# it had where a path comes out below its floor.
def disturbed:
	def far($unit): if $unit == "pps" then .median < 0.75 * .max else .min < 0.75 * .median end;
	.unit as $unit
	| .clock == "wall" and (([.old, .new] | any(.[]; far($unit)))
				or (reached // 0) > 1.05);
def disturbed_words:
	[.results[] | select(.clock == "wall")] as $wall
	| [$wall[] | select(disturbed)] as $bad
	| if ($bad | length) == 0 then null
	  else "\($bad | length) of \($wall | length) wall-clock figures are disturbed (most runs far above the quickest, or below the floor): this machine was busy with something else; measure again when it is not"
	  end;

def emulated: .accel == "tcg";
