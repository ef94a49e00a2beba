# SPDX-License-Identifier: GPL-2.0-only
#
# Print the C program in a document; used by bench/seed-extract with
# unquote.awk.  Variable: document, its name for messages.

function fault(text)
{
	print "seed-extract: " document ": " text >"/dev/stderr"
	failed = 1
	exit 1
}

# How far a line opens (+) or closes (-) braces; those in literals and
# comments do not count.
function braces(code,	opened, closed)
{
	gsub(/"([^"\\]|\\.)*"/, "", code)
	gsub(/'([^'\\]|\\.)*'/, "", code)
	gsub(/\/\*([^*]|\*[^\/])*\*\//, "", code)
	sub(/\/\/.*/, "", code)
	opened = gsub(/\{/, "", code)
	closed = gsub(/\}/, "", code)
	return opened - closed
}

{
	line = unquote($0)
}

!inside && line ~ /^#include[ \t]*[<"]/ {
	inside = 1
	in_main = 0
	depth = 0
	start = NR
	programs++
}

inside {
	text[programs] = text[programs] line "\n"
	if (line ~ /^(int|void)[ \t]+main[ \t]*\(/)
		in_main = 1
	depth += braces(line)
	if (depth < 0)
		fault("line " NR ": a brace closes that was never opened")
	if (depth == 0 && in_main && line ~ /}/)
		inside = 0
}

END {
	if (failed)
		exit 1
	if (inside)
		fault("the program that begins at line " start " does not end")
	if (programs != 1)
		fault("found " programs + 0 " C programs, need exactly one")
	printf "%s", text[1]
}
