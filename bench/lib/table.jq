# SPDX-License-Identifier: GPL-2.0-only
#
# Objects of `bench -j` to a table for a terminal of 100 columns.
# Variables: $legends [{path, word, meaning}], $goals [{path, case, clock, measure,
# bound}].

def spaces($n): if $n > 0 then " " * $n else "" end;
def left($width): . + spaces($width - length);
def right($width): spaces([$width - length, 1] | max) + .;

# case old spread new spread ratio published floor new/floor of-best
def widths: [21, 8, 10, 9, 10, 7, 7, 9, 10, 8];

def line:
	[., widths] | transpose
	| [(.[0] | .[1] as $w | .[0] | left($w)), (.[1:][] | .[1] as $w | .[0] | right($w))]
	| join("") | sub(" +$"; "");

def head:
	["case", "old", "spread", "new", "spread", "ratio", "publ.", "floor", "new/floor", "of best"];

def cells:
	. as $r
	| [.case, (.old.median | figure($r.unit)), (.old | spread),
	   (.new.median | figure($r.unit)), (.new | spread), (.ratio | times),
	   (.seed_ratio | times), (.floor | figure($r.unit)), (over_floor | two_digits),
	   (reached | percent)];

def rule: "─" * 99;

# One block for what can stand under one heading.
def block:
	.[0] as $r
	| "", "\($r.path), \($r | clock_name): \($r | unit_name)",
	  (head | line), rule, (.[] | cells | line);

# The same for what is counted: a line a call, old → new of each kind.
def counted_block:
	.[0] as $r
	| counted_kinds as $kinds
	| "", "\($r.path), \($r | clock_name): \($r | unit_name), old → new",
	  (("call" | left(21)) + ([$kinds[] | right(14)] | join(""))), rule,
	  (counted_calls[] as $c
	   | ($c.call | left(21)) + ([$kinds[] as $kind | $c.counts[$kind]
		| (if . then "\(.old.median) → \(.new.median)" else "–" end) | right(14)] | join("")));

# A long word keeps its line to itself; the rest is indented under the first.
def wrap($width; $indent):
	reduce splits(" +") as $word ([""];
		if (.[-1] | length) + ($word | length) < $width
		then .[-1] |= (if . == "" then $word else . + " " + $word end)
		else . + [$word] end)
	| join("\n" + spaces($indent));

def note($key; $text): ($key | left(9)) + ($text | wrap(89; 9));

def caption:
	note("kernel"; .kernel),
	note("cpu"; .cpu),
	note("accel"; .accel + (if emulated
		then " (emulated: wall-clock figures are not hardware time, their ratios stand)"
		else "" end)),
	note("clock"; [.results[] | clock_name] | unique | map(
		if . == "counted clock" then "counted: one CPU and -icount shift=0, a nanosecond is one instruction"
		else "wall: CLOCK_MONOTONIC" end) | reverse | join("; ")),
	note("command"; .command),
	(disturbed_words | if . then note("BUSY"; .) else empty end);

def legend:
	([.[].results[].path] | unique) as $paths
	| $paths[] as $path
	| "", (if ($paths | length) > 1 then "\($path):" else empty end),
	  ($legends[] | select(.path == $path) | note(.word; .meaning));

def common_legend:
	"",
	note("spread"; "lowest and highest run, from the median"),
	note("ratio"; "how many times better the new path is, of medians from one boot, runs in turns"),
	(if any(.[].results[]; .seed_ratio) then
		note("publ."; "the ratio published with the mailing list's own program, on other hardware")
	 else empty end),
	(if any(.[].results[]; .floor) then
		note("of best"; "the ratio in percent of the highest one the floor allows (old/floor)")
	 else empty end);

def goal_lines:
	[verdicts[] | note("goal"; goal_in_words)] | if length > 0 then "", .[] else empty end;

def table:
	. as $all
	| (range(length) as $i
	   | (if $i > 0 then "", "" else empty end),
	     ($all[$i] | caption, (.results | groups([.path, .clock, .unit])[]
				| if .[0].unit == "count" then counted_block else block end),
	      goal_lines)),
	  legend, common_legend;
