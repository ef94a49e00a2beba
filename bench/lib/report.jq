# SPDX-License-Identifier: GPL-2.0-only
#
# The report's HTML.  A line <!--svg ID-->, <!--about PATH--> or <!--css--> is a
# place that bench/report fills.  Input: the array of result objects; variables
# as in plot.jq.

def h: @html;

def clock_words:
	if .clock == "icount"
	then "counted clock (one CPU, -icount shift=0: a nanosecond is one instruction)"
	else "wall clock (CLOCK_MONOTONIC)" end;

# Where figures come from; files that differ in nothing but the kernel and the
# command share the rest.
def origin:
	groups([.accel, .cpu])[]
	| "<li>accelerator \(.[0].accel | h), CPU \(.[0].cpu | h): "
	  + ([groups([.kernel, .command])[] | .[0]
	      | "kernel \(.kernel | h), <code>\(.command | h)</code>"] | join("; ")) + "</li>";

def explain:
	if .kind == "published" then
		"Further right is better. The published figures are from other hardware: what can be compared is how many times faster, not the time."
	elif .kind == "floor" then "Further left is better."
	elif .unit == "pps" then "Further right is better."
	else "Further left is better." end;

def figure_html:
	. as $f
	| "<figure>",
	  "<h4 id=\"\(.id)\">\(.title | h)</h4>",
	  "<p>\(clock_name | ascii_upcase[:1])\(clock_name[1:]), \(unit_name). \(explain)</p>",
	  "<div class=\"plot\">", "<!--svg \(.id)-->", "</div>",
	  "<figcaption><ul class=\"how\"><li>Clock: \(clock_words)</li>", (.rows | origin),
	  "</ul></figcaption>",
	  "</figure>";

def cell: "<td>\(.)</td>";

# A table's columns; the last ones only where a result has something for them.
def columns:
	["old", "spread", "new", "spread", "ratio"]
	+ (if any(.[]; .seed_ratio) then ["published"] else [] end)
	+ (if any(.[]; .floor) then ["floor", "new / floor", "of best"] else [] end);

def result_html($columns):
	.unit as $unit
	| "<tr><th scope=\"row\">\(.case | h)</th>",
	  ((.old, .new) | (.median | figure($unit) | cell), ("<small>\(spread)</small>" | cell)),
	  ("<b>\(.ratio | times)</b>" | cell),
	  (if $columns | index("published") then .seed_ratio | times | cell else empty end),
	  (if $columns | index("floor") then
		(.floor | figure($unit) | cell), (over_floor | two_digits | cell),
		(reached | percent | cell)
	   else empty end),
	  "</tr>";

def table_html($file):
	.[0] as $r
	| columns as $columns
	| "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"\("\($file.kernel), \($r | clock_name), \($r | unit_name)" | h)\"><table>",
	  "<caption><b>\($file.kernel | h)</b>, \($r | clock_name): \($r | unit_name).<br>Accelerator \($file.accel | h), CPU \($file.cpu | h), <code>\($file.command | h)</code></caption>",
	  "<thead><tr><th scope=\"col\">case</th>", ($columns[] | "<th scope=\"col\">\(.)</th>"),
	  "</tr></thead><tbody>",
	  (.[] | result_html($columns)),
	  "</tbody></table></div>";

def counted_html($file):
	.[0] as $r
	| counted_kinds as $kinds
	| "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"\("\($file.kernel), \($r | unit_name)" | h)\"><table>",
	  "<caption><b>\($file.kernel | h)</b>: \($r | unit_name), old → new. <code>\($file.command | h)</code></caption>",
	  "<thead><tr><th scope=\"col\">call</th>", ($kinds[] | "<th scope=\"col\">\(h)</th>"),
	  "</tr></thead><tbody>",
	  (counted_calls[] as $c
	   | "<tr><th scope=\"row\">\($c.call | h)</th>",
	     ($kinds[] as $kind | $c.counts[$kind]
	      | if . then "\(.old.median) → <b>\(.new.median)</b>" else "–" end | cell),
	     "</tr>"),
	  "</tbody></table></div>";

def published_html($path):
	[$published[] | select(.path == $path)]
	| if length == 0 then empty else
		"<h3>What was published</h3>",
		"<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Published figures\"><table>",
		"<caption>Medians of the published runs, per operation, on the authors' hardware.</caption>",
		"<thead><tr>", (("case", "runs", "old", "new", "ratio", "lowest", "highest") | "<th scope=\"col\">\(.)</th>"),
		"</tr></thead><tbody>",
		(.[] | . as $p
		 | "<tr><th scope=\"row\">\(.case | h)</th>", (.runs | cell),
		   ((.old, .new) | figure($p.unit) | cell),
		   ((.ratio, .ratio_min, .ratio_max) | times | cell), "</tr>"),
		"</tbody></table></div>" end;

def goals_html($path):
	[.[] | .kernel as $k | verdicts[] | select(.path == $path) | . + {kernel: $k}]
	| if length == 0 then empty else
		"<h3>What the design asks for</h3>", "<ul>",
		(.[] | "<li><span class=\"\(.verdict)\">\(.verdict[:1] | ascii_upcase)\(.verdict[1:])</span>: \(.kernel | h), \(goal_in_words | sub("^[^:]*: "; "") | h)</li>"),
		"</ul>" end;

def path_html($path):
	. as $files
	| "<section aria-labelledby=\"\($path)\">", "<h2 id=\"\($path)\">\($path | h)</h2>",
	  "<!--about \($path)-->",
	  "<h3>Figures</h3>",
	  (figures[] | select(.path == $path) | figure_html),
	  ($files | goals_html($path)),
	  "<h3>All results</h3>",
	  ($files[] | . as $file | .results | map(select(.path == $path))
	   | groups([.clock, .unit])[]
	   | if .[0].unit == "count" then counted_html($file) else table_html($file) end),
	  published_html($path),
	  "</section>";

# One card a path and kernel: its last result that has a published figure, or
# else its first.
def cards:
	"<ul class=\"cards\">",
	(flat | groups([.path, .kernel])[] | (map(select(.seed_ratio)) | last) // .[0]
	 | "<li><strong>\(.ratio | times)</strong>\(.path | h) \(.case | h), kernel \(.kernel | series)"
	   + "<small>old \(.unit as $u | .old.median | figure($u)), new \(.unit as $u | .new.median | figure($u))\(if .unit == "insn" then " instructions" else "" end)"
	   + (if .seed_ratio then "; published \(.seed_ratio | times)" else "" end)
	   + (if .floor then "; the floor allows \(allowed | times)" else "" end)
	   + ", \(clock_name)</small></li>"),
	"</ul>";

def reading:
	"<section aria-labelledby=\"reading\">", "<h2 id=\"reading\">How to read this</h2>", "<dl>",
	"<dt>Ratio</dt><dd>How many times better the new path is: old over new for times and instructions, new over old for rates. Both are medians from the same boot, in which the paths took turns.</dd>",
	"<dt>Spread, range</dt><dd>The lowest and the highest run, in the tables in percent from the median. Nothing was left out but a first round to warm up.</dd>",
	"<dt>Wall clock</dt><dd>Time as the guest sees it."
	+ (if any(.[]; emulated) then " The guests here were <b>emulated</b> (accelerator tcg), so these are not times of any hardware: an instruction costs many times what it costs on a processor, and some kinds more than others. Ratios from one boot stand; compare no absolute time with another machine's." else "" end) + "</dd>",
	"<dt>Counted clock</dt><dd>A second guest with one CPU, whose clock advances one nanosecond for each instruction. Its figures are instruction counts of program and kernel together, hardly vary between runs, and do not depend on the machine. An instruction is not a time: one that misses the cache counts like one that does not.</dd>",
	(if any(.[].results[]; .floor) then
		"<dt>Floor</dt><dd>The least that any such operation costs in the same boot, measured beside the two paths. “Of best” is the ratio in percent of the highest ratio that the floor allows (old over floor).</dd>"
	 else empty end),
	"</dl>", "</section>";

def report:
	([.[].results[].path] | reduce .[] as $p ([]; if index([$p]) then . else . + [$p] end)) as $paths
	| "<!DOCTYPE html>",
	  "<html lang=\"en\">", "<head>", "<meta charset=\"utf-8\">",
	  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">",
	  "<title>shortpath: old path against new</title>",
	  "<style>", "<!--css-->", "</style>", "</head>", "<body>", "<main>",
	  "<h1>Old path against new</h1>",
	  "<p class=\"lead\">shortpath on \([.[].kernel] | unique | length) stock kernel\(if ([.[].kernel] | unique | length) > 1 then "s" else "" end): \([.[].kernel | h] | unique | join(", ")).</p>",
	  cards,
	  (.[] | .kernel as $k | disturbed_words // empty
	   | "<p class=\"busy\"><b>\($k | h):</b> \(. | h).</p>"),
	  (. as $files | $paths[] as $p | $files | path_html($p)),
	  reading,
	  "</main>", "</body>", "</html>";
