/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * When the messages of a source are due, pure (see plain.h for how to test).
 *
 * Message k (from 1) of a source that started at t0 is due at t0 + k / rate.
 * Times are nanoseconds of a clock that never steps back.
 */
#ifndef SIM_PACE_H
#define SIM_PACE_H

#include "plain.h"

#define PACE_NSEC	1000000000u
#define PACE_RATE_MAX	100000u

/**
 * struct pace - the state of one source
 * @start: t0
 * @sent: messages sent or forgotten since @start
 * @rate: messages a second, 0..PACE_RATE_MAX; 0: none is ever due
 *
 * pace_due() moves @start forward by whole seconds, so that neither @sent nor
 * any product below grows without bound.
 */
struct pace {
	u64 start;
	u64 sent;
	u32 rate;
};

/* Start anew at @now: nothing is owed. */
static inline void pace_restart(struct pace *p, u64 now)
{
	p->start = now;
	p->sent = 0;
}

/* The largest backlog that is made up for: a tenth of a second, at least 1. */
static inline u32 pace_cap(u32 rate)
{
	return rate < 10 ? 1 : rate / 10;
}

/* Messages that are due from @start to @start + @elapsed. */
static inline u64 pace_total(u32 rate, u64 elapsed)
{
	u64 secs = div_u64(elapsed, PACE_NSEC);
	u64 rest = elapsed - secs * PACE_NSEC;

	return secs * rate + div_u64(rest * rate, PACE_NSEC);
}

/* Move @start on by the whole seconds that are over and done with. */
static inline void pace_fold(struct pace *p, u64 elapsed)
{
	u64 secs = div_u64(elapsed, PACE_NSEC);
	u64 done = div_u64(p->sent, p->rate);

	if (secs > done)
		secs = done;
	p->start += secs * PACE_NSEC;
	p->sent -= secs * p->rate;
}

/**
 * pace_due() - how many messages are owed
 * @p: the source
 * @now: the time
 *
 * A source that fell behind by more than pace_cap() messages forgets the
 * oldest: it does not flood its receiver to make up for a long pause.
 *
 * Return: messages to send now, 0..pace_cap(rate).
 */
static inline u32 pace_due(struct pace *p, u64 now)
{
	u64 elapsed = now > p->start ? now - p->start : 0;
	u64 total;

	if (!p->rate)
		return 0;
	total = pace_total(p->rate, elapsed);
	if (total <= p->sent)
		return 0;
	if (total - p->sent > pace_cap(p->rate))
		p->sent = total - pace_cap(p->rate);
	total -= p->sent;
	pace_fold(p, elapsed);
	return (u32)total;
}

/**
 * pace_wait() - how long until the next message is due
 * @p: the source, with a rate other than 0, after pace_due()
 * @now: the time
 *
 * Return: nanoseconds; 0 if one is due already.
 */
static inline u64 pace_wait(const struct pace *p, u64 now)
{
	u64 at = div_u64((p->sent + 1) * PACE_NSEC + p->rate - 1, p->rate);
	u64 elapsed = now > p->start ? now - p->start : 0;

	return at > elapsed ? at - elapsed : 0;
}

#endif
