# SPDX-License-Identifier: GPL-2.0-only
#
# Rows of bench/guest to the objects of `bench -j`; see bench/summarise.
# Variables: $accel, $command, $cpu, $host_cpu, $published {"path case unit": ratio}.

def fault($text): ("summarise: " + $text + "\n") | halt_error(1);

# A row and the header it stands under.
def row($head; $line):
	($line | split("\t")) as $f
	| if ($f | length) != 6 or ($f[5] | test("^[0-9]+([.][0-9]+)?([eE][-+]?[0-9]+)?$") | not)
	  then fault("malformed row: " + $line)
	  elif $head.kernel == null then fault("a row before any #kernel: " + $line)
	  elif ($f[4] | IN("old", "new", "floor")) | not
	  then fault("no such side: " + $line)
	  else {kernel: $head.kernel, cpu: $head.cpu, path: $f[0], case: $f[1],
		clock: $f[2], unit: $f[3], side: $f[4], value: ($f[5] | tonumber)}
	  end;

def rows:
	reduce inputs as $line ({head: {}, rows: []};
		if $line == "" then .
		elif $line | startswith("#")
		then ($line[1:] | split("\t")) as $f
			| if $f[0] == "kernel" then .head = {kernel: $f[1]}
			  else .head[$f[0]] = $f[1] end
		else .rows += [row(.head; $line)] end)
	| .rows;

def round3: . * 1000 | round / 1000;

def median:
	sort | length as $n
	| if $n % 2 == 1 then .[($n - 1) / 2] else (.[$n / 2 - 1] + .[$n / 2]) / 2 end;

def spread:
	{median: (median | round3), min: (min | round3), max: (max | round3), runs: length};

def values($side): map(select(.side == $side) | .value);

def result:
	.[0] as $r
	| ($r.path + " " + $r.case + " (" + $r.clock + ", " + $r.kernel + ")") as $what
	| if (values("old") | length) == 0 then fault($what + ": no sample of the old path")
	  elif (values("new") | length) == 0 then fault($what + ": no sample of the new path")
	  else . end
	| (values("old") | median) as $old
	| (values("new") | median) as $new
	| if $r.unit != "count" and ($old <= 0 or $new <= 0)
	  then fault($what + ": a median of zero") else . end
	| {path: $r.path, case: $r.case, clock: $r.clock, unit: $r.unit,
	   old: (values("old") | spread), new: (values("new") | spread),
	   ratio: (if $new == $old then 1
		   elif $r.unit == "pps" then $new / $old | round3
		   elif $new > 0 then $old / $new | round3
		   else null end),
	   seed_ratio: $published[[$r.path, $r.case, $r.unit] | join(" ")],
	   floor: (values("floor") | if length > 0 then median | round3 else null end)};

def processor:
	if $cpu != "" then $cpu
	elif $host_cpu == "" then .
	else . + ", emulated on " + $host_cpu end;

def summarise:
	rows
	| if length == 0 then fault("no sample rows") else . end
	| groups(.kernel)[]
	| {schema: 1, kernel: .[0].kernel, accel: $accel,
	   cpu: (.[0].cpu // "unknown" | processor), command: $command,
	   results: (groups([.path, .clock, .case, .unit]) | map(result))};
