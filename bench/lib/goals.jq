# SPDX-License-Identifier: GPL-2.0-only
#
# Whether results reach what the design asks for.  A measure is over_floor, the
# new path as a multiple of the floor, which may be at most the bound; reached,
# the share of the ratio that the floor allows, at least the bound; ratio, how
# many times better the new path is, at least the bound; over_old, how much
# it costs as a multiple of the old, at most the bound; net, what the new path
# costs over the floor, at most the bound; net_over_old, that as a multiple of what
# the old one costs over it, at most the bound; or most, the new figure itself, at
# most the bound.
# Where the machine was busy, time decides neither way: unclear.
# Variable: $goals [{path, case, clock, measure, bound}].

# A goal's case may have wildcards: it is for all that match, and decided by the worst.
def matches($pattern): . as $case | $pattern | gsub("[*]"; ".*") | . as $re | $case | test("^" + $re + "$");

def verdict($r):
	if .measure == "over_floor" then .value = ($r | over_floor) | .met = (.value <= .bound)
	elif .measure == "reached" then .value = ($r | reached) | .met = (.value >= .bound)
	elif .measure == "ratio" then .value = $r.ratio | .met = (.value >= .bound)
	elif .measure == "over_old" then .value = 1 / $r.ratio | .met = (.value <= .bound)
	elif .measure == "net" then .value = ($r | net) | .met = (.value <= .bound)
	elif .measure == "net_over_old" then .value = ($r | net_over_old) | .met = (.value <= .bound)
	elif .measure == "most" then .value = $r.new.median | .met = (.value <= .bound)
	else error("goals: no such measure: \(.measure)") end
	| select(.value != null)
	| . + {clock_name: ($r | clock_name), found: $r.case,
	       verdict: (if $r | disturbed then "unclear" elif .met then "met" else "missed" end)};

def worst:
	first((.[] | select(.verdict == "missed") | .case = .found),
	      (.[] | select(.verdict == "unclear") | .case = .found), max_by(.value));

# Of one result object: the goals that its results have something to say to.
def verdicts:
	(.results | to_entries) as $results
	| [$goals[] as $goal
	   | [$results[] | select(.value | .path == $goal.path and .clock == $goal.clock
					   and (.case | matches($goal.case))) as $r
	      | $goal | verdict($r.value) | .at = $r.key]
	   | select(length > 0) | (map(.at) | min) as $at | worst | .at = $at]
	| sort_by(.at);

def goal_in_words:
	"\(.verdict | if . == "missed" then "MISSED" else . end): \(.case), \(.clock_name): "
	+ if .measure == "over_floor"
	  then "\(.value | fixed(2)) of the floor, at most \(.bound | fixed(2))"
	  elif .measure == "ratio"
	  then "\(.value | fixed(2)) times better, at least \(.bound | fixed(2))"
	  elif .measure == "over_old"
	  then "\(.value | fixed(4)) of the old path, at most \(.bound | fixed(4))"
	  elif .measure == "net"
	  then "\(.value | fixed(0)) over the floor, at most \(.bound)"
	  elif .measure == "net_over_old"
	  then "\(.value | fixed(2)) of what the old path costs over the floor, at most \(.bound | fixed(2))"
	  elif .measure == "most" then "\(.value), at most \(.bound)"
	  else "\(.value * 100 | fixed(0))% of what the floor allows, at least \(.bound * 100 | fixed(0))%"
	  end;
