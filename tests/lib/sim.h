/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Software remote processors (rpmsg_sim) made and removed through configfs.
 *
 * Everything made here is removed again when the program ends, also after a
 * failed check, a bail or SIGTERM. A function that cannot do its work bails;
 * the ones with _try report instead.
 */
#ifndef SHORTPATH_SIM_H
#define SHORTPATH_SIM_H

#include <stdbool.h>
#include <stdint.h>

#define SIM_ROOT	"/sys/kernel/config/rpmsg-sim"

struct sim {
	char name[40];		/* folder below SIM_ROOT */
	char dev[32];		/* virtioN, empty when not live */
	char node[64];		/* /dev/rpmsg_ctrlN, empty when not live */
};

/* Load rpmsg_sim and the rpmsg modules; remove what an earlier run left. */
void sim_start(void);
/* Remove every remote there is, ours or not. */
void sim_clear(void);

/* A remote that is not live yet, without services. */
void sim_make(struct sim *s, const char *name);
/* A service of the remote; BEHAVIOUR is echo, sink or source (rate 0). */
void sim_service(struct sim *s, const char *service, const char *behaviour);
void sim_retire(struct sim *s, const char *service);
/* Register the virtio device and find the control node. */
void sim_live(struct sim *s);
void sim_dead(struct sim *s);
/* Take it away with all services. */
void sim_remove(struct sim *s);

/*
 * A live remote with the services "echo", "sink" and "source" and BUFS buffers
 * a direction; and its control device, opened read-write.
 */
int sim_up(struct sim *s, const char *name, int bufs);

/* Wait for the control node below the virtio device and note it. */
void sim_find_node(struct sim *s);
int sim_open_ctrl(const struct sim *s);

/* Attributes, ATTR relative to the remote's folder ("echo/addr"). */
int sim_set_try(const struct sim *s, const char *attr, const char *value);
void sim_set(const struct sim *s, const char *attr, const char *value);
void sim_setn(const struct sim *s, const char *attr, long long value);
long long sim_num(const struct sim *s, const char *attr);
__u32 sim_addr(const struct sim *s, const char *service);
/* Wait until the number in ATTR is at least VALUE. */
bool sim_reaches(const struct sim *s, const char *attr, long long value);

/* Path of the channel device that the announced service made. */
void sim_channel(const struct sim *s, const char *service, char *path);

#endif /* SHORTPATH_SIM_H */
