# SPDX-License-Identifier: GPL-2.0-only

# group_by() sorts; this keeps the order in which the groups first appear.
def groups(key):
	to_entries | group_by(.value | key) | sort_by(.[0].key) | map(map(.value));

# What is counted is called KIND-CALL: an object a call, {call, counts: {KIND: result}},
# and which kinds there are.
def counted_kinds: [groups(.case | sub("-.*"; ""))[][0].case | sub("-.*"; "")];
def counted_calls:
	[groups(.case | sub("^[^-]*-"; ""))[]
	 | {call: (.[0].case | sub("^[^-]*-"; "")),
	    counts: (map({key: (.case | sub("-.*"; "")), value: .}) | from_entries)}];
