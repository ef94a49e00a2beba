// SPDX-License-Identifier: GPL-2.0-only
/*
 * The card: PCM devices whose hardware pointer moves only when told to, and
 * that write down what the PCM core asks of them. With it everything that a
 * system call on a PCM can answer depends on the calls before it alone, in
 * every state, the running one included.
 *
 * Locks and contexts: the operations run as the PCM core calls them, mostly
 * under the stream lock (a mutex for PCM_SIM_NONATOMIC). A request from outside
 * takes pcm->open_mutex, so that the stream it moves stays open meanwhile, and
 * then the stream lock. Lifetime: struct sim_card is the card's private data.
 */
#include <linux/module.h>
#include <linux/uaccess.h>
#include <sound/initval.h>

#include "card.h"

/* What an operation is known as in the trace. */
enum sim_op {
	SIM_OPEN = 1, SIM_CLOSE, SIM_HW_PARAMS, SIM_HW_FREE, SIM_PREPARE,
	SIM_TRIGGER, SIM_POINTER, SIM_ACK, SIM_TIME,
};

#define SIM_BUFFER_MAX	(64 * 1024)

static struct sim_stream *sim_stream_of(struct snd_pcm_substream *substream)
{
	struct sim_card *sim = snd_pcm_substream_chip(substream);

	return &sim->stream[substream->pcm->device * 2 + substream->stream];
}

/* Each step of the hash can be undone: no two different histories meet early. */
static u64 sim_mix(u64 hash, u64 value)
{
	return (hash ^ value) * 0x100000001b3ULL + (hash >> 47);
}

static void sim_note(struct snd_pcm_substream *substream, enum sim_op op, u64 arg)
{
	struct pcm_sim_trace *trace = sim_stream_of(substream)->trace;
	struct snd_pcm_runtime *runtime = substream->runtime;
	u64 hash = READ_ONCE(trace->hash);

	hash = sim_mix(hash, op);
	hash = sim_mix(hash, arg);
	hash = sim_mix(hash, (__force u64)runtime->status->state);
	hash = sim_mix(hash, runtime->status->hw_ptr);
	hash = sim_mix(hash, runtime->control->appl_ptr);
	hash = sim_mix(hash, runtime->control->avail_min);
	WRITE_ONCE(trace->hash, hash);
	trace->operations++;
}

static const struct snd_pcm_hardware sim_hardware = {
	/* BATCH: the core believes the pointer whatever its clock says. */
	.info = SNDRV_PCM_INFO_MMAP | SNDRV_PCM_INFO_MMAP_VALID |
		SNDRV_PCM_INFO_INTERLEAVED | SNDRV_PCM_INFO_NONINTERLEAVED |
		SNDRV_PCM_INFO_PAUSE | SNDRV_PCM_INFO_RESUME |
		SNDRV_PCM_INFO_BATCH,
	.formats = SNDRV_PCM_FMTBIT_U8 | SNDRV_PCM_FMTBIT_S16_LE |
		   SNDRV_PCM_FMTBIT_S32_LE,
	.rates = SNDRV_PCM_RATE_CONTINUOUS | SNDRV_PCM_RATE_8000_192000,
	.rate_min = 8000,
	.rate_max = 192000,
	.channels_min = 1,
	.channels_max = 8,
	.buffer_bytes_max = SIM_BUFFER_MAX,
	.period_bytes_min = 16,
	.period_bytes_max = SIM_BUFFER_MAX,
	.periods_min = 1,
	.periods_max = 1024,
};

static int sim_open(struct snd_pcm_substream *substream)
{
	struct sim_stream *stream = sim_stream_of(substream);

	substream->runtime->hw = sim_hardware;
	if (substream->pcm->device == PCM_SIM_APPLPTR)
		substream->runtime->hw.info |= SNDRV_PCM_INFO_SYNC_APPLPTR |
					       SNDRV_PCM_INFO_NO_REWINDS;
	if (substream->pcm->device == PCM_SIM_EXPLICIT)
		substream->runtime->hw.info |= SNDRV_PCM_INFO_EXPLICIT_SYNC;
	stream->pos = 0;
	stream->frames = 0;
	stream->ack_result = 0;
	stream->xrun = false;
	sim_note(substream, SIM_OPEN, 0);
	return 0;
}

static int sim_close(struct snd_pcm_substream *substream)
{
	sim_note(substream, SIM_CLOSE, 0);
	return 0;
}

/* What is captured is the same every time. */
static int sim_hw_params(struct snd_pcm_substream *substream,
			 struct snd_pcm_hw_params *params)
{
	u64 *area = (u64 *)substream->runtime->dma_area;
	size_t i;

	for (i = 0; i < substream->runtime->dma_bytes / sizeof(*area); i++)
		area[i] = (i + 1) * 0x9e3779b97f4a7c15ULL;
	sim_note(substream, SIM_HW_PARAMS, params_buffer_bytes(params));
	return 0;
}

static int sim_hw_free(struct snd_pcm_substream *substream)
{
	sim_note(substream, SIM_HW_FREE, 0);
	return 0;
}

static int sim_prepare(struct snd_pcm_substream *substream)
{
	struct sim_stream *stream = sim_stream_of(substream);

	stream->pos = 0;
	stream->frames = 0;
	stream->xrun = false;
	sim_note(substream, SIM_PREPARE, substream->runtime->buffer_size);
	return 0;
}

static int sim_trigger(struct snd_pcm_substream *substream, int cmd)
{
	sim_stream_of(substream)->trace->triggers++;
	sim_note(substream, SIM_TRIGGER, cmd);
	return 0;
}

static snd_pcm_uframes_t sim_pointer(struct snd_pcm_substream *substream)
{
	struct sim_stream *stream = sim_stream_of(substream);

	stream->trace->pointers++;
	sim_note(substream, SIM_POINTER, stream->pos);
	if (!stream->xrun)
		return stream->pos;
	stream->xrun = false;
	return SNDRV_PCM_POS_XRUN;
}

/* The link time counts frames, and is never what a clock might say. */
static int sim_time(struct snd_pcm_substream *substream,
		    struct timespec64 *system_ts, struct timespec64 *audio_ts,
		    struct snd_pcm_audio_tstamp_config *config,
		    struct snd_pcm_audio_tstamp_report *report)
{
	struct sim_stream *stream = sim_stream_of(substream);

	sim_note(substream, SIM_TIME, config->type_requested);
	if (config->type_requested != SNDRV_PCM_AUDIO_TSTAMP_TYPE_LINK) {
		report->actual_type = SNDRV_PCM_AUDIO_TSTAMP_TYPE_DEFAULT;
		return 0;
	}
	report->actual_type = SNDRV_PCM_AUDIO_TSTAMP_TYPE_LINK;
	report->accuracy_report = 1;
	report->accuracy = 42;
	*system_ts = (struct timespec64){ 4000000000LL + stream->frames, stream->pos };
	*audio_ts = (struct timespec64){ 5000000000LL + stream->frames, stream->pos };
	return 0;
}

static int sim_ack(struct snd_pcm_substream *substream)
{
	struct sim_stream *stream = sim_stream_of(substream);

	stream->trace->acks++;
	stream->trace->last_ack = substream->runtime->control->appl_ptr;
	sim_note(substream, SIM_ACK, stream->ack_result);
	return stream->ack_result;
}

static const struct snd_pcm_ops sim_ops_plain = {
	.open = sim_open,
	.close = sim_close,
	.hw_params = sim_hw_params,
	.hw_free = sim_hw_free,
	.prepare = sim_prepare,
	.trigger = sim_trigger,
	.pointer = sim_pointer,
	.get_time_info = sim_time,
};

static const struct snd_pcm_ops sim_ops_ack = {
	.open = sim_open,
	.close = sim_close,
	.hw_params = sim_hw_params,
	.hw_free = sim_hw_free,
	.prepare = sim_prepare,
	.trigger = sim_trigger,
	.pointer = sim_pointer,
	.get_time_info = sim_time,
	.ack = sim_ack,
};

static int sim_pcm_new(struct sim_card *sim, int device)
{
	const struct snd_pcm_ops *ops = &sim_ops_ack;
	struct snd_pcm *pcm;
	int err;

	err = snd_pcm_new(sim->card, "pcm_sim", device, 1, 1, &pcm);
	if (err)
		return err;
	if (device == PCM_SIM_PLAIN)
		ops = &sim_ops_plain;
	snd_pcm_set_ops(pcm, SNDRV_PCM_STREAM_PLAYBACK, ops);
	snd_pcm_set_ops(pcm, SNDRV_PCM_STREAM_CAPTURE, ops);
	snd_pcm_set_managed_buffer_all(pcm, SNDRV_DMA_TYPE_VMALLOC, NULL,
				       SIM_BUFFER_MAX, SIM_BUFFER_MAX);
	pcm->private_data = sim;
	pcm->nonatomic = device == PCM_SIM_NONATOMIC;
	strscpy(pcm->name, "pcm_sim", sizeof(pcm->name));
	sim->pcm[device] = pcm;
	return 0;
}

static int sim_card_fill(struct sim_card *sim, unsigned long devices)
{
	int device, err;

	for_each_set_bit(device, &devices, PCM_SIM_DEVICES) {
		err = sim_pcm_new(sim, device);
		if (err)
			return err;
	}
	strscpy(sim->card->driver, "pcm_sim", sizeof(sim->card->driver));
	strscpy(sim->card->shortname, "pcm_sim", sizeof(sim->card->shortname));
	strscpy(sim->card->longname, "A card without a clock",
		sizeof(sim->card->longname));
	return snd_card_register(sim->card);
}

/**
 * sim_card_new() - make a card and register it
 * @parent: the device that it belongs to
 * @devices: the PCM devices it is to have, as bits
 * @trace: where its streams write down what they are asked
 *
 * Return: the card, or an ERR_PTR.
 */
struct sim_card *sim_card_new(struct device *parent, unsigned long devices,
			      struct pcm_sim_trace *trace)
{
	struct snd_card *card;
	struct sim_card *sim;
	int i, err;

	err = snd_card_new(parent, SNDRV_DEFAULT_IDX1, SNDRV_DEFAULT_STR1,
			   THIS_MODULE, sizeof(*sim), &card);
	if (err)
		return ERR_PTR(err);
	sim = card->private_data;
	sim->card = card;
	for (i = 0; i < PCM_SIM_STREAMS; i++)
		sim->stream[i].trace = &trace[i];
	err = sim_card_fill(sim, devices);
	if (err) {
		snd_card_free(card);
		return ERR_PTR(err);
	}
	return sim;
}

static int sim_advance(struct snd_pcm_substream *substream, int frames,
		       unsigned int flags)
{
	struct sim_stream *stream = sim_stream_of(substream);

	if (frames < 0 || frames >= substream->runtime->buffer_size)
		return -EINVAL;
	snd_pcm_stream_lock_irq(substream);
	stream->pos = (stream->pos + frames) % substream->runtime->buffer_size;
	stream->frames += frames;
	snd_pcm_stream_unlock_irq(substream);
	if (flags & PCM_SIM_ELAPSED)
		snd_pcm_period_elapsed(substream);
	return 0;
}

/* The stream is open, or was never: pcm->open_mutex is held. */
static int sim_stream_move(struct snd_pcm_substream *substream, unsigned int cmd,
			   const struct pcm_sim_request *req)
{
	struct sim_stream *stream = sim_stream_of(substream);

	if (!substream->runtime)
		return -EBADFD;
	switch (cmd) {
	case PCM_SIM_ADVANCE:
		return sim_advance(substream, req->value, req->flags);
	case PCM_SIM_ACK_RESULT:
		if (req->value > 0 || req->value < -MAX_ERRNO)
			return -EINVAL;
		WRITE_ONCE(stream->ack_result, req->value);
		return 0;
	case PCM_SIM_XRUN:
		WRITE_ONCE(stream->xrun, true);
		return 0;
	}
	return -ENOTTY;
}

static void sim_look(struct snd_pcm_substream *substream, struct pcm_sim_look *look)
{
	struct snd_pcm_runtime *runtime = substream->runtime;

	snd_pcm_stream_lock_irq(substream);
	look->hw_ptr = runtime->status->hw_ptr;
	look->appl_ptr = runtime->control->appl_ptr;
	look->avail_min = runtime->control->avail_min;
	look->boundary = runtime->boundary;
	look->tstamp[0] = runtime->status->tstamp.tv_sec;
	look->tstamp[1] = runtime->status->tstamp.tv_nsec;
	look->audio_tstamp[0] = runtime->status->audio_tstamp.tv_sec;
	look->audio_tstamp[1] = runtime->status->audio_tstamp.tv_nsec;
	look->state = (__force int)runtime->status->state;
	look->suspended_state = (__force int)runtime->status->suspended_state;
	snd_pcm_stream_unlock_irq(substream);
}

/* The device that a request is about, or an ERR_PTR. */
static struct snd_pcm *sim_pcm_of(struct sim_card *sim,
				  const struct pcm_sim_request *req)
{
	if (req->device >= PCM_SIM_DEVICES || req->stream > 1)
		return ERR_PTR(-EINVAL);
	return sim->pcm[req->device] ?: ERR_PTR(-ENODEV);
}

/**
 * sim_card_look() - read what the PCM core keeps of a stream
 * @sim: the card
 * @look: which stream; filled in
 *
 * Context: process context. Takes pcm->open_mutex.
 * Return: 0 or a negative errno.
 */
int sim_card_look(struct sim_card *sim, struct pcm_sim_look *look)
{
	struct snd_pcm *pcm = sim_pcm_of(sim, &look->which);
	struct snd_pcm_substream *substream;
	int ret = -EBADFD;

	if (IS_ERR(pcm))
		return PTR_ERR(pcm);
	mutex_lock(&pcm->open_mutex);
	substream = pcm->streams[look->which.stream].substream;
	if (substream->runtime) {
		sim_look(substream, look);
		ret = 0;
	}
	mutex_unlock(&pcm->open_mutex);
	return ret;
}

/**
 * sim_card_take() - copy a stream's buffer to a user
 * @sim: the card
 * @take: which stream, how much, and where to
 *
 * Context: process context. Takes pcm->open_mutex, which keeps the buffer: but
 * for hw_free, which a program that uses this leaves alone meanwhile.
 * Return: 0 or a negative errno.
 */
int sim_card_take(struct sim_card *sim, const struct pcm_sim_take *take)
{
	struct snd_pcm *pcm = sim_pcm_of(sim, &take->which);
	struct snd_pcm_runtime *runtime;
	int ret = -EBADFD;

	if (IS_ERR(pcm))
		return PTR_ERR(pcm);
	mutex_lock(&pcm->open_mutex);
	runtime = pcm->streams[take->which.stream].substream->runtime;
	if (runtime && runtime->dma_area) {
		ret = 0;
		if (take->size > runtime->dma_bytes)
			ret = -EINVAL;
		else if (copy_to_user(u64_to_user_ptr(take->to), runtime->dma_area, take->size))
			ret = -EFAULT;
	}
	mutex_unlock(&pcm->open_mutex);
	return ret;
}

/**
 * sim_card_move() - something happens to the card
 * @sim: the card
 * @cmd: what: one of PCM_SIM_*
 * @req: to which stream, and how far
 *
 * Context: process context. Takes pcm->open_mutex.
 * Return: 0 or a negative errno.
 */
int sim_card_move(struct sim_card *sim, unsigned int cmd,
		  const struct pcm_sim_request *req)
{
	struct snd_pcm *pcm;
	int ret;

	if (cmd == PCM_SIM_POWER) {
		snd_power_change_state(sim->card, req->value ? SNDRV_CTL_POWER_D3hot :
				       SNDRV_CTL_POWER_D0);
		return 0;
	}
	if (cmd == PCM_SIM_UNPLUG) {
		snd_card_disconnect(sim->card);
		return 0;
	}
	pcm = sim_pcm_of(sim, req);
	if (IS_ERR(pcm))
		return PTR_ERR(pcm);
	if (cmd == PCM_SIM_SUSPEND)
		return snd_pcm_suspend_all(pcm);
	if (cmd == PCM_SIM_DISCONNECT) {
		snd_device_disconnect(sim->card, pcm);
		return 0;
	}
	mutex_lock(&pcm->open_mutex);
	ret = sim_stream_move(pcm->streams[req->stream].substream, cmd, req);
	mutex_unlock(&pcm->open_mutex);
	return ret;
}
