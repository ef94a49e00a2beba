# SPDX-License-Identifier: GPL-2.0-only
#
# What all figures share.  The colours are stand-ins: bench/report turns each
# into a CSS variable, so that one drawing serves light, dark and paper.

c_old = "#010101"
c_new = "#020202"
c_floor = "#030303"
c_mark = "#040404"
c_grid = "#050505"
c_text = "#060606"

set encoding utf8
set border 1 lc rgb c_grid
set tics textcolor rgb c_text scale 0.5 nomirror
set xlabel textcolor rgb c_text
set ylabel textcolor rgb c_text
set grid xtics lc rgb c_grid lw 0.7 dashtype solid
unset ytics
set key outside top left horizontal maxrows 1 Left reverse samplen 1.5 width 3 textcolor rgb c_text
set bars 0.6
