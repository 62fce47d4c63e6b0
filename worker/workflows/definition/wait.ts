/** Actions that wait: for an event, a time or a callback. Spec: workflows.md §3, `wait`. */
import type { Json } from '../../../proto/json.ts';
import type { Pieces } from '../../../proto/work/pieces.ts';
import { beforeOf, type DraftContext, type TypeReader, targetOf } from './draft.ts';
import { durationMs, timeMs } from './duration.ts';
import { compiled } from './expression.ts';
import { DURATION, type Members } from './members.ts';
import type { Timeout, Value, WaitAction } from './tree.ts';
import { readValue } from './value.ts';

const MODES = ['event', 'duration', 'until', 'callback'] as const;
/** Members of each mode besides `mode` and `timeout`. */
const OF_MODES: Readonly<Record<(typeof MODES)[number], readonly string[]>> = {
  event: ['eventSource', 'eventPattern', 'filter', 'since'],
  duration: ['duration'],
  until: ['until'],
  callback: [],
};
/** Longest name of an event and its source, in characters. Spec: workflows.md §5. */
export const EVENT_NAME_MAX = 255;
const EVENT_NAME = `must be a text of 1 to ${EVENT_NAME_MAX} characters`;

/** An action that waits. */
export const wait: TypeReader<'wait'> = {
  members: ['mode', 'timeout', ...Object.values(OF_MODES).flat()],
  *read(around) {
    const { members } = around;
    const mode = members.has('mode') ? members.chosen('mode', MODES) : 'event';
    if (mode === undefined || isWithoutMode(members)) return undefined;
    for (const [other, names] of Object.entries(OF_MODES)) {
      const wrong = other === mode ? undefined : names.find((name) => members.has(name));
      if (wrong !== undefined) members.fault(wrong, `is of mode ${other}, and this one is ${mode}`);
    }
    const timeout = yield* readTimeout(around, ['duration', 'action']);
    const read = yield* readMode(around, mode);
    return read && { wait: read, timeout: timeout?.timeout };
  },
};

/** Whether an action says by another member which mode is meant, and neither names it nor waits for an event; a fault then. */
function isWithoutMode(members: Members): boolean {
  if (members.has('mode') || OF_MODES.event.some((name) => members.has(name))) return false;
  const meant = MODES.find((mode) => OF_MODES[mode].some((name) => members.has(name)));
  if (meant === undefined) return false;
  members.fault('mode', `is required beside ${meant}: set "mode": "${meant}"`);
  return true;
}

function* readMode(
  around: DraftContext,
  mode: (typeof MODES)[number],
): Pieces<WaitAction['wait'] | undefined> {
  const { members } = around;
  switch (mode) {
    case 'event':
      return yield* readEvent(around);
    case 'duration': {
      const duration = yield* durationOf(around, members);
      return duration && { mode, duration };
    }
    case 'until': {
      const until = yield* neededValue(around, members, 'until');
      const { constant } = until ?? {};
      if (
        constant !== undefined &&
        !(typeof constant === 'string' && timeMs(constant) !== undefined)
      ) {
        members.fault('until', 'must be a time such as 2030-01-31T12:00:00Z, or an expression');
      }
      return until && { mode, until };
    }
    case 'callback':
      return { mode };
  }
}

function* readEvent(around: DraftContext): Pieces<WaitAction['wait'] | undefined> {
  const { drafts, members } = around;
  const source = yield* neededValue(around, members, 'eventSource');
  if (source?.constant !== undefined && !isEventName(source.constant)) {
    members.fault('eventSource', EVENT_NAME);
  }
  const pattern = members.needText('eventPattern');
  if (pattern !== undefined && !isEventName(pattern)) members.fault('eventPattern', EVENT_NAME);
  const text = members.text('filter');
  const at = { where: members.at('filter'), stand: beforeOf(around), names: ['event'] };
  const filter = text === undefined ? undefined : compiled(drafts, text, at);
  const since = members.oneOf('since', ['run', 'wait'], 'run');
  if (source === undefined || pattern === undefined) return undefined;
  return { mode: 'event', source, pattern, filter, since };
}

/** Whether it can be the name of an event, or of its source. */
export function isEventName(value: Json): boolean {
  return typeof value === 'string' && value !== '' && value.length <= EVENT_NAME_MAX;
}

/** The member `timeout` of waits and human tasks: an object. */
export function* readTimeout(
  around: DraftContext,
  names: readonly string[],
): Pieces<{ readonly timeout: Timeout; readonly members: Members } | undefined> {
  const { members: all } = around;
  const members = all.members('timeout');
  if (members === undefined) return undefined;
  members.refuseOthers(names, 'timeout');
  const duration = yield* durationOf(around, members);
  const action = members.has('action') ? targetOf(around, members, 'action') : undefined;
  if (around.list.isGraph && members.has('action')) {
    members.fault('action', 'is not allowed in a graph: without it the wait fails with TIMED_OUT');
  }
  return duration && { timeout: { duration, action }, members };
}

function* durationOf(around: DraftContext, members: Members): Pieces<Value | undefined> {
  const duration = yield* neededValue(around, members, 'duration');
  const { constant } = duration ?? {};
  if (
    constant !== undefined &&
    !(typeof constant === 'string' && durationMs(constant) !== undefined)
  ) {
    members.fault('duration', DURATION);
  }
  return duration;
}

/** The value that a member is, and has to be. */
export function* neededValue(
  around: DraftContext,
  members: Members,
  name: string,
): Pieces<Value | undefined> {
  const json = members.get(name);
  if (json === undefined) return members.fault(name, 'is required');
  return yield* readValue(around.drafts, json, members.at(name), beforeOf(around));
}
