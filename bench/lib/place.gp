# SPDX-License-Identifier: GPL-2.0-only
#
# The plot's place between the texts; slots and left come from the script.

set lmargin at screen left
set rmargin at screen 0.92
set tmargin 2.8
set yrange [slots + 0.6:0.4]
