# SPDX-License-Identifier: GPL-2.0-only

# group_by() sorts; this keeps the order in which the groups first appear.
def groups(key):
	to_entries | group_by(.value | key) | sort_by(.[0].key) | map(map(.value));
