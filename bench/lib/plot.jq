# SPDX-License-Identifier: GPL-2.0-only
#
# The figures of the report: which there are, and a gnuplot script for each.
# Variables: $titles [{path, pattern, title}], $published [{path, case, unit,
# ratio, ratio_min, ratio_max, runs}], $goals [{path, case, clock, measure,
# bound}], $figure: the id of the figure that is meant.

def series: capture("^(?<s>[0-9]+[.][0-9]+)").s // .;

# All results in one list, each with what it needs to know of its file.
def flat:
	[.[] | . as $file | .results[]
	 | . + ($file | {kernel, accel, cpu, command})];

def title_of($r):
	first(($titles[] | select(.path == $r.path and (.pattern as $p | $r.case | test($p)))
	       | .title), "One operation");

def slug: ascii_downcase | gsub("[^a-z0-9]+"; "_");

# The figures of an array of result objects.  One is {id, kind, path, title,
# clock, unit, rows}; the kinds are published (ratios beside the document's),
# compare (old against new) and floor (new over floor).
def figure_of($kind; title):
	.[0] as $r
	| {kind: $kind, path: $r.path, title: ($r | title), clock: $r.clock, unit: $r.unit,
	   rows: .}
	| . + {id: ([.path, .kind, .title, .clock, .unit] | map(slug) | join("_"))};

# (What is counted is small numbers, which a table shows better.)
def figures:
	flat | map(select(.unit != "count"))
	| [(map(select(.seed_ratio)) | groups([.path, .clock, .unit])[]
	    | figure_of("published"; "The published program: its ratio there and here")),
	   (groups([.path, title_of(.), .clock, .unit])[] | figure_of("compare"; title_of(.))),
	   (map(select(.floor)) | groups([.path, .clock, .unit])[]
	    | figure_of("floor"; "How near the new path comes to the floor"))];

def the_figure: figures[] | select(.id == $figure);

def scale($unit):
	if $unit == "ns" and . >= 2000 then {by: 1000, name: "µs"}
	elif $unit == "ns" then {by: 1, name: "ns"}
	elif $unit == "pps" then {by: 1000, name: "thousand a second"}
	elif $unit == "percent" then {by: 1, name: "percent"}
	else {by: 1, name: "instructions"} end;

# The lines of a figure from top to bottom, each {y, name, row}; where several
# rows belong to one case, a line with a heading stands over them.
def slots($headed):
	[groups(.case)[]
	 | (if $headed then {heading: .[0].case} else empty end),
	   (.[] | {row: ., name: (if $headed then .name // (.kernel | series) else .case end)})]
	| reduce .[] as $slot ([];
		(.[-1].y // 0) as $above
		| . + [$slot + {y: ($above + if $slot.heading and $above > 0 then 1.4 else 1 end)}]);

def several_kernels: ([.[].kernel] | unique | length) > 1;

# For gnuplot, to which some characters are markup (case names have none).
def quoted: "\"" + gsub("[\\\\\"^_@&~]"; "") + "\"";

# Sizes, and what is written left and right of the plot.
def frame($id; $right_title; right_text):
	. as $slots
	| any(.[]; .heading) as $headed
	| "set terminal svg size 960, \(104 + 22 * .[-1].y | floor) enhanced font \"sans,13\" name \($id | quoted)",
	  "slots = \(.[-1].y)",
	  "left = \(if $headed then 0.12 else 0.19 end)",
	  "set label \($right_title | quoted) at graph 1.02, first 0 left",
	  ($slots[]
	   | if .heading then
		"set label \("{/:Bold " + .heading + "}" | quoted) at screen 0.012, first \(.y) left"
	     else
		"set label \(.name | quoted) at graph -0.015, first \(.y) right",
		"set label \(.row | right_text | quoted) at graph 1.02, first \(.y) left"
	     end);

# A data block of the slots that have a row: y and what columns gives of it.
def block(columns):
	"$rows << EOD",
	(.[] | select(.row) | [.y] + (.row | columns)
	 | map(if . == null then "NaN" else tostring end) | join(" ")),
	"EOD";

# Ticks at 1, 2 and 5 of each power of ten, written out: gnuplot's own leave a
# range of less than two decades nearly bare.
def log_ticks($min; $max):
	[range($min | log10 | floor; ($max | log10 | ceil) + 1) as $e | (1, 2, 5) | . * pow(10; $e)
	 | select(. >= $min and . <= $max)
	 | "\"\(if . < 1 then . else thousands end)\" \(.)"]
	| "set xtics (\(join(", ")))";

def compare_script:
	. as $f
	| (.rows | slots(several_kernels)) as $slots
	| ([.rows[] | .old.max, .new.max] | max) as $max
	| ([.rows[] | .old.min, .new.min, .floor | values] | min) as $min
	| ($max | scale($f.unit)) as $scale
	| ($slots | block([.old.median, .old.min, .old.max, .new.median, .new.min, .new.max, .floor]
			  | map(if . then . / $scale.by else . end))),
	  ($slots | frame($f.id; "better"; .ratio | times)),
	  "has_floor = \(if any($f.rows[]; .floor) then 1 else 0 end)",
	  (if $max / $min > 8
	   then ($min / $scale.by / 1.5) as $low | ($max / $scale.by * 1.5) as $high
		| "set logscale x; set xrange [\($low):\($high)]", log_ticks($low; $high),
		  "set xlabel \($scale.name + ", logarithmic" | quoted)"
	   else "set xrange [0:\(1.08 * $max / $scale.by)]; set xlabel \($scale.name | quoted)" end),
	  "load \"compare.gp\"";

def bounds($f):
	[$goals[] | select(.path == $f.path and .clock == $f.clock
			   and (.measure | IN("reached", "over_floor")))
	 | if .measure == "reached" then 1 / .bound else .bound end] | unique;

def floor_script:
	. as $f
	| (.rows | slots(several_kernels)) as $slots
	| ([bounds($f)[], (.rows[] | .new.max / .floor)] | max) as $max
	| ([1, (.rows[] | .new.min / .floor)] | min) as $min
	| ($slots | block(. as $r | [.new.median, .new.min, .new.max] | map(. / $r.floor))),
	  ($slots | frame($f.id; "× floor"; over_floor | two_digits)),
	  "set xrange [\($min - 0.03):\($max + 0.06)]",
	  (bounds($f)[]
	   | "set arrow from \(.), graph 0 to \(.), graph 1 nohead dashtype 2 lc rgb c_mark back",
	     "set label \("goal " + fixed(2) | quoted) at \(.), graph 1.0 offset 0,0.6 center textcolor rgb c_mark"),
	  "load \"floor.gp\"";

# Over the measured rows of a case, one for the published figure.
def with_published:
	[groups(.case)[] | .[0] as $r
	 | (first($published[] | select(.path == $r.path and .case == $r.case and .unit == $r.unit))
	    // {ratio: $r.seed_ratio, ratio_min: $r.seed_ratio, ratio_max: $r.seed_ratio}) as $p
	 | ($r | {case, name: "published", published: $p, ratio: $p.ratio}), .[]];

def published_script:
	. as $f
	| (.rows | with_published | slots(true)) as $slots
	| ($slots | block([.published.ratio, .published.ratio_min, .published.ratio_max,
			   (if .published then null else .ratio end),
			   (if .published then null else allowed end)])),
	  ($slots | frame($f.id; "ratio"; .ratio | times)),
	  "has_floor = \(if any($f.rows[]; .floor) then 1 else 0 end)",
	  "load \"published.gp\"";

def script:
	"load \"style.gp\"",
	if .kind == "compare" then compare_script
	elif .kind == "floor" then floor_script
	else published_script end;

# The same in words, for those who cannot see the figure.
def figure_in_words:
	def of_row:
		if . == null then empty else "\(.case) on \(.kernel): " end;
	. as $f
	| [.rows[]
	   | of_row + (if $f.kind == "compare" then
			"old \(.old.median | figure($f.unit)), new \(.new.median | figure($f.unit)), \(.ratio | times) better"
		       elif $f.kind == "floor" then "\(over_floor | two_digits) times the floor"
		       else "\(.ratio | times), published \(.seed_ratio | times)\(if .floor then ", the floor allows \(allowed | times)" else "" end)" end)]
	| join("; ");
