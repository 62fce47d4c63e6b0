/** What is wrong with a run that was killed meanwhile. */
import { type Shape, WAIT_MS } from './parts.ts';
import type { ActionRecord, RunRecord } from './site.ts';

/** Most milliseconds after the start within which a run goes on. */
const GOES_ON_MS = 5_000;

/** A run as it is judged. */
interface Judged {
  readonly shape: Shape;
  readonly record: RunRecord;
  readonly words: readonly string[];
  /** When everything answered again. */
  readonly back: number;
}

const ENDED = ['succeeded', 'failed', 'cancelled'];
/** Failures that shapes bring about themselves. */
const PLANNED = ['REQUEST_FAILED', 'TIMED_OUT'];

/** Whether a kill has reached into an attempt, so that the run goes another way. */
export function isDisturbed({ actions }: RunRecord): boolean {
  return actions.some(({ attempts }) =>
    attempts.some(({ error }) => error !== undefined && !PLANNED.includes(error.code)),
  );
}

/** Each promise that the run breaks, in a sentence. */
export function faultsOf(judged: Judged): string[] {
  const { record } = judged;
  if (!ENDED.includes(record.status)) return [`is still ${record.status}: ${underWay(record)}`];
  return [
    ...underWay(record).map((each) => `has ended, and ${each}`),
    ...effects(judged),
    ...undone(judged),
    ...late(judged),
    ...(isDisturbed(record) ? [] : undisturbed(judged)),
  ];
}

function underWay({ actions }: RunRecord): string[] {
  return actions
    .filter(({ status }) => ['running', 'waiting', 'retrying'].includes(status))
    .map(({ path, status }) => `${path} is ${status}`);
}

/** The run went as it does without a kill. */
function undisturbed({ shape, record, words }: Judged): string[] {
  const expected = [...shape.words].sort().join(' ');
  const actual = [...words].sort().join(' ');
  return [
    ...(record.status === shape.status ? [] : [`is ${record.status}, should be ${shape.status}`]),
    ...(actual === expected ? [] : [`has the effects ${actual}, should have ${expected}`]),
  ];
}

/** Each action had its effect once; an attempt with an unknown outcome may have had it or not. */
function effects({ record, words }: Judged): string[] {
  const byWord = new Map<string, ActionRecord[]>();
  for (const action of record.actions) {
    const word = action.input?.element?.[0];
    if (word !== undefined) byWord.set(word, [...(byWord.get(word) ?? []), action]);
  }
  return [...new Set([...byWord.keys(), ...words])].flatMap((word) => {
    const count = words.filter((each) => each === word).length;
    const actions = byWord.get(word);
    if (!actions) return count > 1 ? [`${word} of a subworkflow has ${count} effects`] : [];
    // Of a key, one of several that succeeded has the effect.
    const has = actions.some(hasSucceeded);
    const unknown = actions
      .flatMap(({ attempts }) => attempts)
      .filter(({ error }) => error?.code === 'OUTCOME_UNKNOWN').length;
    const [least, most] = [has ? 1 : 0, (has ? 1 : 0) + unknown];
    if (count >= least && count <= most) return [];
    return [`${word} has ${count} effects: its record allows ${least} to ${most}`];
  });
}

/** Whether an action succeeded. `compensated` alone does not say so: unknown outcomes are compensated as well. */
function hasSucceeded({ status, attempts }: ActionRecord): boolean {
  if (status === 'succeeded') return true;
  return status === 'compensated' && attempts.at(-1)?.error === undefined;
}

/** Actions are undone in the reverse order of their ends. */
function undone({ record }: Judged): string[] {
  const order = record.actions
    .filter(({ compensates }) => compensates !== undefined)
    .sort((one, other) => Date.parse(one.started) - Date.parse(other.started));
  const ends = order.map(({ compensates }) =>
    Date.parse(record.actions.find(({ path }) => path === compensates)?.ended ?? ''),
  );
  const isReverse = ends.every((end, at) => at === 0 || end <= (ends[at - 1] ?? 0));
  return isReverse ? [] : [`undid in another order: ${order.map(({ path }) => path).join(', ')}`];
}

/** What was running or due goes on within `GOES_ON_MS` after the start. */
function late({ record, back }: Judged): string[] {
  return record.actions.flatMap(({ path, type, started, ended, attempts }) => {
    const cut = attempts
      .filter(({ error }) => error?.message.includes('stopped while'))
      .map((attempt) => Date.parse(attempt.ended ?? '') - back);
    const due = Math.max(Date.parse(started) + WAIT_MS, back);
    const waited = type === 'wait' && ended !== undefined ? Date.parse(ended) - due : 0;
    const most = Math.max(waited, ...cut);
    return most > GOES_ON_MS ? [`${path} went on ${most} ms after the start`] : [];
  });
}
