# SPDX-License-Identifier: GPL-2.0-only
#
# Whether results reach what the design asks for.  A measure is over_floor, the
# new path as a multiple of the floor, which may be at most the bound; reached,
# the share of the ratio that the floor allows, at least the bound; ratio, how
# many times better the new path is, at least the bound; or over_old, how much
# it costs as a multiple of the old, at most the bound.
# Where the machine was busy, time decides neither way: unclear.
# Variable: $goals [{path, case, clock, measure, bound}].

# Of one result object: the goals that its results have something to say to.
def verdicts:
	[.results[] as $r
	 | $goals[] | select(.path == $r.path and .case == $r.case and .clock == $r.clock)
	 | if .measure == "over_floor" then .value = ($r | over_floor) | .met = (.value <= .bound)
	   elif .measure == "reached" then .value = ($r | reached) | .met = (.value >= .bound)
	   elif .measure == "ratio" then .value = $r.ratio | .met = (.value >= .bound)
	   elif .measure == "over_old" then .value = 1 / $r.ratio | .met = (.value <= .bound)
	   else error("goals: no such measure: \(.measure)") end
	 | select(.value)
	 | . + {clock_name: ($r | clock_name),
		verdict: (if $r | disturbed then "unclear" elif .met then "met" else "missed" end)}];

def goal_in_words:
	"\(.verdict | if . == "missed" then "MISSED" else . end): \(.case), \(.clock_name): "
	+ if .measure == "over_floor"
	  then "\(.value | fixed(2)) of the floor, at most \(.bound | fixed(2))"
	  elif .measure == "ratio"
	  then "\(.value | fixed(2)) times better, at least \(.bound | fixed(2))"
	  elif .measure == "over_old"
	  then "\(.value | fixed(4)) of the old path, at most \(.bound | fixed(4))"
	  else "\(.value * 100 | fixed(0))% of what the floor allows, at least \(.bound * 100 | fixed(0))%"
	  end;
