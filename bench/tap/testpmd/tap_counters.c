// SPDX-License-Identifier: GPL-2.0-only
/* What a device says with ethtool -S. */
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <linux/types.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tap_counters.h"

#define COUNTER "tx_queue_0_xsk_packets"

static int ethtool(int fd, const char *device, void *data)
{
	struct ifreq ifr = { .ifr_data = data };

	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", device);
	return ioctl(fd, SIOCETHTOOL, &ifr);
}

static unsigned int how_many(int fd, const char *device)
{
	struct {
		struct ethtool_sset_info info;
		__u32 count;
	} sets = {
		.info = { .cmd = ETHTOOL_GSSET_INFO, .sset_mask = 1ULL << ETH_SS_STATS },
	};

	if (ethtool(fd, device, &sets) || !sets.info.sset_mask)
		return 0;
	return sets.count;
}

static unsigned long long value_of(int fd, const char *device, unsigned int count)
{
	struct ethtool_gstrings *names = calloc(1, sizeof(*names) + count * ETH_GSTRING_LEN);
	struct ethtool_stats *values = calloc(1, sizeof(*values) + count * sizeof(__u64));
	unsigned long long value = 0;
	unsigned int i;

	if (!names || !values)
		goto out;
	*names = (struct ethtool_gstrings) {
		.cmd = ETHTOOL_GSTRINGS, .string_set = ETH_SS_STATS, .len = count,
	};
	*values = (struct ethtool_stats) { .cmd = ETHTOOL_GSTATS, .n_stats = count };
	if (ethtool(fd, device, names) || ethtool(fd, device, values))
		goto out;
	for (i = 0; i < count; i++)
		if (!strncmp((char *)names->data + i * ETH_GSTRING_LEN, COUNTER, ETH_GSTRING_LEN))
			value = values->data[i];
out:
	free(names);
	free(values);
	return value;
}

/**
 * tap_zerocopied() - packets that queue 0 took from an AF_XDP socket uncopied
 * @device: a TAP device
 *
 * Return: how many so far; 0 where the driver does not count such.
 */
unsigned long long tap_zerocopied(const char *device)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	unsigned long long value = 0;
	unsigned int count;

	if (fd < 0)
		return 0;
	count = how_many(fd, device);
	if (count)
		value = value_of(fd, device, count);
	close(fd);
	return value;
}
