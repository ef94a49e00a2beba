# SPDX-License-Identifier: GPL-2.0-only
#
# Mailing-list documents: a line without its marks of quotation.  At most one
# blank follows each mark, the rest of the line belongs to the text.

function unquote(line)
{
	sub(/\r$/, "", line)
	while (sub(/^> ?/, "", line))
		;
	return line
}
