/* SPDX-License-Identifier: GPL-2.0-only */
/* What a device says with ethtool -S. */
#ifndef TAP_COUNTERS_H
#define TAP_COUNTERS_H

unsigned long long tap_zerocopied(const char *device);

#endif
