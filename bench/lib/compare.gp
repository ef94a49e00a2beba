# SPDX-License-Identifier: GPL-2.0-only
#
# Old against new, one line a case.  $rows: y, old median min max, new median
# min max, floor.

load "place.gp"
plot $rows using 2:1:($5 - $2):(0) with vectors nohead lc rgb c_grid lw 2 notitle, \
     $rows using 2:1:3:4 with xerrorbars pt 4 ps 0.8 lw 1.5 lc rgb c_old title "old path", \
     $rows using 5:1:6:7 with xerrorbars pt 7 ps 0.7 lw 1.5 lc rgb c_new title "new path", \
     $rows using 8:($1 + 0.36):(0):(-0.72) with vectors nohead lw 2.5 lc rgb c_floor \
	title (has_floor ? "floor" : "")
