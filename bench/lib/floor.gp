# SPDX-License-Identifier: GPL-2.0-only
#
# The new path as a multiple of the floor.  $rows: y, median min max.

load "place.gp"
set xlabel "new path / floor (1.00: as cheap as an empty file descriptor can be)"
set arrow from 1, graph 0 to 1, graph 1 nohead lw 2.5 lc rgb c_floor back
plot $rows using 2:1:3:4 with xerrorbars pt 7 ps 0.7 lw 1.5 lc rgb c_new title "new path"
