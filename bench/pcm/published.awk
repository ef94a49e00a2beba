# SPDX-License-Identifier: GPL-2.0-only
#
# Print the published profile of the pcm document; used by published with
# unquote.awk.  Variable: document, its name for messages.
#
# There are three profiles, each a run of lines "share% [object] [.k] function":
# before, a tentative one, and with the series.  Lines that matter are marked with
# an arrow.  They count only where they prove themselves: the marked lines of the
# first and the last one are the ioctl alone, and those of the tentative one add up
# to the total that the text gives for it.

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

line ~ /^(==>)? *[0-9]+\.[0-9]+% +[^ ]+ +\[[.k]\] / {
	if (!inside)
		profiles++
	inside = 1
	if (sub(/^==> */, "", line)) {
		split(line, f, " ")
		sub(/%/, "", f[1])
		marked[profiles]++
		share[profiles] += f[1]
		if (f[4] == "snd_pcm_ioctl")
			ioctl[profiles] = f[1]
	}
	next
}

# Lines may be apart from each other; a profile ends with text.
line ~ /[^ \t]/ {
	inside = 0
}

match(line, /In total it is [0-9.]+%/) {
	total = substr(line, RSTART + 15, RLENGTH - 16)
}

END {
	if (failed)
		exit 1
	if (profiles != 3 || total == "")
		fault("found " profiles + 0 " profiles, need three and a total")
	off = share[2] - total
	if (off >= 0.1 || off <= -0.1)
		fault("the marked lines of the second profile are " share[2] "%, not " total "%")
	if (marked[1] != 1 || marked[3] != 1 || !(1 in ioctl) || !(3 in ioctl) || ioctl[3] <= 0)
		fault("the first and the last profile do not mark snd_pcm_ioctl alone")
	ratio = sprintf("%.3f", ioctl[1] / ioctl[3])
	print "play-native", "percent", ioctl[1], ioctl[3], ratio, ratio, ratio, 1
}
