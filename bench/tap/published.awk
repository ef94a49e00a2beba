# SPDX-License-Identifier: GPL-2.0-only
#
# Print the published table of the tap document; used by published with
# unquote.awk.  Variable: document, its name for messages.
#
# The table is in a box; a row is "| size | copy | zero-copy | speedup |", in
# millions a second and percent.  It counts only where it proves itself: the
# speedup has to be that of the two figures before it, to a percent.

BEGIN {
	OFS = "\t"
}

function fault(text)
{
	print "published: " document ": " text >"/dev/stderr"
	failed = 1
	exit 1
}

{
	line = unquote($0)
}

line ~ /^\| *[0-9]+ *\| *[0-9.]+ *\| *[0-9.]+ *\| *[0-9]+% *\|$/ {
	gsub(/[|%]/, " ", line)
	split(line, f, " ")
	if (f[2] <= 0)
		fault("line " NR ": no rate")
	ratio = f[3] / f[2]
	off = ratio * 100 - 100 - f[4]
	if (off >= 1 || off <= -1)
		fault("line " NR ": " f[4] "% is not what " f[3] " is more than " f[2])
	ratio = sprintf("%.3f", ratio)
	print "testpmd-" f[1], "pps", f[2] * 1000000, f[3] * 1000000, ratio, ratio, ratio, 1
	rows++
}

END {
	if (!failed && !rows)
		fault("no published table found")
	exit failed
}
