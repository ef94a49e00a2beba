# SPDX-License-Identifier: GPL-2.0-only
#
# Ratios of the published program.  $rows: y, published median min max, ratio
# measured here, ratio that the floor allows here.

load "place.gp"
set xrange [0:*]
set xlabel "how many times better the new path is"
plot $rows using (0):1:5:(0) with vectors nohead lc rgb c_new lw 5 notitle, \
     $rows using 2:1:3:4 with xerrorbars pt 12 ps 0.9 lw 1.5 lc rgb c_mark title "published", \
     $rows using 5:1 with points pt 7 ps 0.7 lc rgb c_new title "here", \
     $rows using 6:($1 + 0.36):(0):(-0.72) with vectors nohead lw 2.5 lc rgb c_floor \
	title (has_floor ? "floor allows" : "")
