# SPDX-License-Identifier: GPL-2.0-only
#
# Print the published table of a document; used by bench/seed-table with
# unquote.awk.  Variables: document, its name for messages; medians, 1 for one
# line a loop count instead of every run.
#
# A row counts only where it proves itself: the runs are numbered from 1
# without a gap, and the last column is the quotient of the two before.

function fault(text)
{
	print "seed-table: " document ": " text >"/dev/stderr"
	failed = 1
	exit 1
}

# Median of column[group, 1..n]; sorts that part of column in place.
function median(column, group, n,	i, j, value)
{
	for (i = 2; i <= n; i++) {
		value = column[group, i]
		for (j = i - 1; j >= 1 && column[group, j] > value; j--)
			column[group, j + 1] = column[group, j]
		column[group, j + 1] = value
	}
	i = int((n + 1) / 2)
	return n % 2 ? column[group, i] : (column[group, i] + column[group, i + 1]) / 2
}

{
	line = unquote($0)
}

line ~ /^[ \t]*[0-9]+[ \t]+[0-9]+[ \t]+[0-9]+[ \t]+[0-9]+[ \t]+[0-9]+\.[0-9]+[ \t]*$/ {
	split(line, f)
	rows++
	if (f[1] != rows)
		fault("line " NR ": run " f[1] " where run " rows " was due")
	off = f[5] - f[3] / f[4]
	if (f[4] == 0 || off > 0.001 || off < -0.001)
		fault("line " NR ": " f[5] " is not " f[3] "/" f[4])
	if (!medians)
		print f[1] "\t" f[2] "\t" f[3] "\t" f[4] "\t" f[5]
	if (!(f[2] in runs))
		order[++groups] = f[2]
	n = ++runs[f[2]]
	legacy[f[2], n] = f[3] + 0
	new[f[2], n] = f[4] + 0
	ratio[f[2], n] = f[5] + 0
}

END {
	if (failed)
		exit 1
	if (!rows)
		fault("no published table found")
	for (g = 1; medians && g <= groups; g++) {
		loops = order[g]
		n = runs[loops]
		printf "%d\t%d\t%d\t%d\t%.2f", loops, n, median(legacy, loops, n),
			median(new, loops, n), median(ratio, loops, n)
		printf "\t%.2f\t%.2f\n", ratio[loops, 1], ratio[loops, n]
	}
}
