// SPDX-License-Identifier: GPL-2.0-only
/*
 * The user interface of rpmsg_sim, see README.md:
 *
 *	/sys/kernel/config/rpmsg-sim/REMOTE/{attributes,stats/,SERVICE/}
 *
 * The structures here are no more than the directories; what they stand for is
 * in remote.c and service.c. Lifetime: a directory's structure goes with its
 * configfs item, which may be later than rmdir. The remote or service goes with
 * rmdir: configfs lets no attribute be read or written from then on, waits for
 * those that are at it, and removes a remote's directory only after its
 * services'. So an attribute never meets a remote or service that is gone.
 *
 * Locks: none here. configfs holds its own; drop_item runs under the
 * subsystem's mutex, and the remote's locks nest inside.
 */
#include <linux/configfs.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/kstrtox.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "configfs.h"
#include "remote.h"
#include "service.h"

/* The name is part of a device name and of its uevent. */
#define SIM_REMOTE_NAME_MAX	63

struct sim_remote_dir {
	struct config_group group;
	struct config_group stats;
	struct sim_remote *remote;
};

struct sim_service_dir {
	struct config_item item;
	struct sim_service *service;
};

static struct sim_remote *to_remote(struct config_item *item)
{
	return container_of(to_config_group(item), struct sim_remote_dir,
			    group)->remote;
}

static struct sim_service *to_service(struct config_item *item)
{
	return container_of(item, struct sim_service_dir, item)->service;
}

/* Attributes of a service. */

#define SIM_SERVICE_SHOW(_name, _format)				\
static ssize_t sim_service_##_name##_show(struct config_item *item,	\
					  char *page)			\
{									\
	struct sim_service_info info;					\
									\
	sim_service_info(to_service(item), &info);			\
	return sysfs_emit(page, _format "\n", info._name);		\
}

#define SIM_SERVICE_STORE_U32(_name, _set)				\
static ssize_t sim_service_##_name##_store(struct config_item *item,	\
					   const char *page,		\
					   size_t count)		\
{									\
	u32 value;							\
	int ret = kstrtou32(page, 0, &value);				\
									\
	ret = ret ?: _set(to_service(item), value);			\
	return ret ?: count;						\
}

SIM_SERVICE_SHOW(addr, "%u")
SIM_SERVICE_STORE_U32(addr, sim_service_set_addr)
CONFIGFS_ATTR(sim_service_, addr);

SIM_SERVICE_SHOW(dst, "%u")
SIM_SERVICE_STORE_U32(dst, sim_service_set_dst)
CONFIGFS_ATTR(sim_service_, dst);

SIM_SERVICE_SHOW(rate, "%u")
SIM_SERVICE_STORE_U32(rate, sim_service_set_rate)
CONFIGFS_ATTR(sim_service_, rate);

SIM_SERVICE_SHOW(size, "%u")
SIM_SERVICE_STORE_U32(size, sim_service_set_size)
CONFIGFS_ATTR(sim_service_, size);

SIM_SERVICE_STORE_U32(burst, sim_service_burst)
CONFIGFS_ATTR_WO(sim_service_, burst);

SIM_SERVICE_SHOW(rx_messages, "%llu")
CONFIGFS_ATTR_RO(sim_service_, rx_messages);

SIM_SERVICE_SHOW(tx_messages, "%llu")
CONFIGFS_ATTR_RO(sim_service_, tx_messages);

SIM_SERVICE_SHOW(last_src, "%u")
CONFIGFS_ATTR_RO(sim_service_, last_src);

SIM_SERVICE_SHOW(behaviour, "%s")

static ssize_t sim_service_behaviour_store(struct config_item *item,
					   const char *page, size_t count)
{
	int ret = sim_service_set_behaviour(to_service(item), page);

	return ret ?: count;
}

CONFIGFS_ATTR(sim_service_, behaviour);

SIM_SERVICE_SHOW(announce, "%d")

static ssize_t sim_service_announce_store(struct config_item *item,
					  const char *page, size_t count)
{
	bool on;
	int ret = kstrtobool(page, &on);

	ret = ret ?: sim_service_set_announce(to_service(item), on);
	return ret ?: count;
}

CONFIGFS_ATTR(sim_service_, announce);

static struct configfs_attribute *sim_service_attrs[] = {
	&sim_service_attr_addr,
	&sim_service_attr_behaviour,
	&sim_service_attr_announce,
	&sim_service_attr_rate,
	&sim_service_attr_size,
	&sim_service_attr_dst,
	&sim_service_attr_burst,
	&sim_service_attr_rx_messages,
	&sim_service_attr_tx_messages,
	&sim_service_attr_last_src,
	NULL
};

static void sim_service_release(struct config_item *item)
{
	kfree(container_of(item, struct sim_service_dir, item));
}

static struct configfs_item_operations sim_service_item_ops = {
	.release = sim_service_release,
};

static const struct config_item_type sim_service_type = {
	.ct_item_ops = &sim_service_item_ops,
	.ct_attrs = sim_service_attrs,
	.ct_owner = THIS_MODULE,
};

/* The counters of a remote. */

static struct sim_remote *stats_to_remote(struct config_item *item)
{
	return container_of(to_config_group(item), struct sim_remote_dir,
			    stats)->remote;
}

#define SIM_STATS_SHOW(_name)						\
static ssize_t sim_stats_##_name##_show(struct config_item *item,	\
					char *page)			\
{									\
	struct sim_stats stats;						\
									\
	sim_remote_stats(stats_to_remote(item), &stats);		\
	return sysfs_emit(page, "%llu\n", stats._name);			\
}

SIM_STATS_SHOW(rx_messages)
CONFIGFS_ATTR_RO(sim_stats_, rx_messages);

SIM_STATS_SHOW(rx_bytes)
CONFIGFS_ATTR_RO(sim_stats_, rx_bytes);

SIM_STATS_SHOW(tx_messages)
CONFIGFS_ATTR_RO(sim_stats_, tx_messages);

SIM_STATS_SHOW(tx_bytes)
CONFIGFS_ATTR_RO(sim_stats_, tx_bytes);

SIM_STATS_SHOW(announces)
CONFIGFS_ATTR_RO(sim_stats_, announces);

SIM_STATS_SHOW(no_buffer)
CONFIGFS_ATTR_RO(sim_stats_, no_buffer);

SIM_STATS_SHOW(malformed)
CONFIGFS_ATTR_RO(sim_stats_, malformed);

static struct configfs_attribute *sim_stats_attrs[] = {
	&sim_stats_attr_rx_messages,
	&sim_stats_attr_rx_bytes,
	&sim_stats_attr_tx_messages,
	&sim_stats_attr_tx_bytes,
	&sim_stats_attr_announces,
	&sim_stats_attr_no_buffer,
	&sim_stats_attr_malformed,
	NULL
};

static const struct config_item_type sim_stats_type = {
	.ct_attrs = sim_stats_attrs,
	.ct_owner = THIS_MODULE,
};

/* Attributes of a remote. */

#define SIM_REMOTE_STORE_BOOL(_name, _set)				\
static ssize_t sim_remote_##_name##_store(struct config_item *item,	\
					  const char *page,		\
					  size_t count)			\
{									\
	bool on;							\
	int ret = kstrtobool(page, &on);				\
									\
	ret = ret ?: _set(to_remote(item), on);				\
	return ret ?: count;						\
}

static ssize_t sim_remote_live_show(struct config_item *item, char *page)
{
	struct sim_remote_info info;

	sim_remote_info(to_remote(item), &info);
	return sysfs_emit(page, "%d\n", info.dev_name[0] != '\0');
}

SIM_REMOTE_STORE_BOOL(live, sim_remote_set_live)
CONFIGFS_ATTR(sim_remote_, live);

#define SIM_REMOTE_SHOW(_name, _format)					\
static ssize_t sim_remote_##_name##_show(struct config_item *item,	\
					 char *page)			\
{									\
	struct sim_remote_info info;					\
									\
	sim_remote_info(to_remote(item), &info);			\
	return sysfs_emit(page, _format "\n", info._name);		\
}

SIM_REMOTE_SHOW(dev_name, "%s")
CONFIGFS_ATTR_RO(sim_remote_, dev_name);

SIM_REMOTE_SHOW(num_bufs, "%u")

static ssize_t sim_remote_num_bufs_store(struct config_item *item,
					 const char *page, size_t count)
{
	u32 num;
	int ret = kstrtou32(page, 0, &num);

	ret = ret ?: sim_remote_set_num_bufs(to_remote(item), num);
	return ret ?: count;
}

CONFIGFS_ATTR(sim_remote_, num_bufs);

SIM_REMOTE_SHOW(name_service, "%d")
SIM_REMOTE_STORE_BOOL(name_service, sim_remote_set_name_service)
CONFIGFS_ATTR(sim_remote_, name_service);

SIM_REMOTE_SHOW(hold_tx, "%d")
SIM_REMOTE_STORE_BOOL(hold_tx, sim_remote_set_hold_tx)
CONFIGFS_ATTR(sim_remote_, hold_tx);

static struct configfs_attribute *sim_remote_attrs[] = {
	&sim_remote_attr_live,
	&sim_remote_attr_dev_name,
	&sim_remote_attr_num_bufs,
	&sim_remote_attr_name_service,
	&sim_remote_attr_hold_tx,
	NULL
};

static struct config_item *sim_remote_make_item(struct config_group *group,
						const char *name)
{
	struct sim_service_dir *dir;

	if (strlen(name) >= MSG_NAME_LEN)
		return ERR_PTR(-ENAMETOOLONG);
	dir = kzalloc(sizeof(*dir), GFP_KERNEL);
	if (!dir)
		return ERR_PTR(-ENOMEM);
	dir->service = sim_service_create(to_remote(&group->cg_item), name);
	if (IS_ERR(dir->service)) {
		struct config_item *err = ERR_CAST(dir->service);

		kfree(dir);
		return err;
	}
	config_item_init_type_name(&dir->item, name, &sim_service_type);
	return &dir->item;
}

static void sim_remote_drop_item(struct config_group *group,
				 struct config_item *item)
{
	sim_service_retire(to_service(item));
	config_item_put(item);
}

static void sim_remote_release(struct config_item *item)
{
	kfree(container_of(to_config_group(item), struct sim_remote_dir, group));
}

static struct configfs_item_operations sim_remote_item_ops = {
	.release = sim_remote_release,
};

static struct configfs_group_operations sim_remote_group_ops = {
	.make_item = sim_remote_make_item,
	.drop_item = sim_remote_drop_item,
};

static const struct config_item_type sim_remote_type = {
	.ct_item_ops = &sim_remote_item_ops,
	.ct_group_ops = &sim_remote_group_ops,
	.ct_attrs = sim_remote_attrs,
	.ct_owner = THIS_MODULE,
};

/* The top directory. */

static struct config_group *sim_make_group(struct config_group *group,
					   const char *name)
{
	struct sim_remote_dir *dir;

	if (strlen(name) > SIM_REMOTE_NAME_MAX)
		return ERR_PTR(-ENAMETOOLONG);
	dir = kzalloc(sizeof(*dir), GFP_KERNEL);
	if (!dir)
		return ERR_PTR(-ENOMEM);
	dir->remote = sim_remote_create(name);
	if (IS_ERR(dir->remote)) {
		struct config_group *err = ERR_CAST(dir->remote);

		kfree(dir);
		return err;
	}
	config_group_init_type_name(&dir->group, name, &sim_remote_type);
	config_group_init_type_name(&dir->stats, "stats", &sim_stats_type);
	configfs_add_default_group(&dir->stats, &dir->group);
	return &dir->group;
}

static void sim_drop_item(struct config_group *group, struct config_item *item)
{
	sim_remote_destroy(to_remote(item));
	config_item_put(item);
}

static struct configfs_group_operations sim_root_group_ops = {
	.make_group = sim_make_group,
	.drop_item = sim_drop_item,
};

static const struct config_item_type sim_root_type = {
	.ct_group_ops = &sim_root_group_ops,
	.ct_owner = THIS_MODULE,
};

static struct configfs_subsystem sim_subsystem = {
	.su_group = {
		.cg_item = {
			.ci_namebuf = "rpmsg-sim",
			.ci_type = &sim_root_type,
		},
	},
};

/**
 * sim_configfs_init() - offer the user interface
 *
 * Return: 0 or an errno.
 */
int sim_configfs_init(void)
{
	config_group_init(&sim_subsystem.su_group);
	mutex_init(&sim_subsystem.su_mutex);
	return configfs_register_subsystem(&sim_subsystem);
}

/**
 * sim_configfs_exit() - take it away; no directory is left
 */
void sim_configfs_exit(void)
{
	configfs_unregister_subsystem(&sim_subsystem);
	mutex_destroy(&sim_subsystem.su_mutex);
}
