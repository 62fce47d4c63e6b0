/** What a fault did to the calls that were under way. */
import type { Called } from './load.ts';

/** Milliseconds by which calls are grouped. */
const WINDOW_MS = 250;
/** Latencies that a loaded machine has at any time count as usual, in milliseconds. */
const USUAL_MS = 150;
/** How many times the usual 99th percentile still counts as usual. */
const TIMES = 4;
/** Milliseconds that never count as usual: a call that waited for a node that is gone. */
const NEVER_USUAL_MS = 1_500;
/** Milliseconds before the fault that show what is usual: before, pools and code are opened. */
const SAMPLE_MS = 1_500;
/** Milliseconds after a fault in which the 99th percentile is back. Issue: "p99 back within 3 s". */
const BACK_MAX_MS = 3_000;

/** What is known of one fault. */
interface Observed {
  readonly name: string;
  /** On the clock of `performance`. */
  readonly at: number;
  readonly calls: readonly Called[];
  /** Calls to an endpoint on the default node at the same time: what these wait for too is the machine. */
  readonly control: readonly Called[];
  /** When it was taken back, on the same clock. */
  readonly endedAt: number;
  /** How often each id is in the table. */
  readonly stored: ReadonlyMap<string, number>;
  /** Milliseconds until the list showed that the node is gone; undefined where it must not. */
  readonly goneAfterMs: number | undefined;
  /** Milliseconds from the end of the fault until it showed that the node is back. */
  readonly backAfterMs: number;
}

/** One line of the table. */
export interface Line {
  readonly fault: string;
  readonly reads: number;
  readonly writes: number;
  readonly 'reads failed': number;
  readonly 'writes unknown': number;
  readonly 'writes refused': number;
  readonly 'written twice': number;
  readonly 'acknowledged and lost': number;
  readonly 'p99 before (ms)': number;
  readonly 'slowest (ms)': number;
  readonly 'p99 back after (ms)': number;
  readonly 'seen gone after (ms)': number | '-';
  readonly 'seen back after (ms)': number;
}

/** Judges one fault. */
export function lineOf(observed: Observed): Line {
  const { name, at, calls, stored, goneAfterMs, backAfterMs } = observed;
  const of = (mode: Called['mode']) => calls.filter((call) => call.mode === mode);
  const writes = of('write');
  const ended = (outcome: (code: string) => boolean) =>
    writes.filter((call) => outcome(call.outcome)).length;
  const before = calls
    .filter(({ began, ended }) => ended < at && began > at - SAMPLE_MS)
    .map(durationOf);
  return {
    fault: name,
    reads: of('read').length,
    writes: writes.length,
    'reads failed': of('read').filter(({ outcome }) => outcome !== '200').length,
    'writes unknown': ended((code) => code === 'OUTCOME_UNKNOWN'),
    'writes refused': ended((code) => code !== 'OUTCOME_UNKNOWN' && code !== '200'),
    'written twice': writes.filter(({ id }) => (stored.get(id) ?? 0) > 1).length,
    'acknowledged and lost': writes.filter(
      ({ id, outcome }) => outcome === '200' && !stored.has(id),
    ).length,
    'p99 before (ms)': Math.round(percentile99(before)),
    'slowest (ms)': Math.round(Math.max(...calls.map(durationOf))),
    'p99 back after (ms)': backAfter(observed, percentile99(before)),
    'seen gone after (ms)': goneAfterMs === undefined ? '-' : Math.round(goneAfterMs),
    'seen back after (ms)': Math.round(backAfterMs),
  };
}

/** Each promise that a line breaks. @param seenMaxMs milliseconds in which lists follow */
export function faultsOf(line: Line, seenMaxMs: number, isGentle: boolean): string[] {
  const must = (what: keyof Line, most: number): string[] =>
    Number(line[what]) > most ? [`${line.fault}: ${what} is ${line[what]}, at most ${most}`] : [];
  const gone = line['seen gone after (ms)'];
  return [
    ...must('reads failed', 0),
    ...must('writes refused', 0),
    ...(isGentle ? must('writes unknown', 0) : []),
    ...must('written twice', 0),
    ...must('acknowledged and lost', 0),
    ...must('p99 back after (ms)', BACK_MAX_MS),
    ...(gone === '-' ? [] : must('seen gone after (ms)', seenMaxMs)),
    ...must('seen back after (ms)', seenMaxMs),
  ];
}

const durationOf = ({ began, ended }: Called): number => ended - began;

function percentile99(durations: readonly number[]): number {
  const sorted = [...durations].sort((one, other) => one - other);
  return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0;
}

/**
 * End of the last window while the fault lasts whose 99th percentile is not as before, in milliseconds
 * after the fault. Its end starts a relay on this machine, which is no part of what is promised.
 */
function backAfter({ calls, control, at, endedAt }: Observed, before: number): number {
  const usual = Math.min(Math.max(USUAL_MS, before * TIMES), NEVER_USUAL_MS);
  const windowOf = ({ ended }: Called) => Math.floor((ended - at) / WINDOW_MS);
  const busy = new Set(control.filter((call) => durationOf(call) > usual).map(windowOf));
  const during = calls.filter(({ ended }) => ended >= at && ended < endedAt);
  const slow = [...Map.groupBy(during, windowOf)].filter(
    ([window, each]) => !busy.has(window) && percentile99(each.map(durationOf)) > usual,
  );
  return slow.reduce((last, [window]) => Math.max(last, (window + 1) * WINDOW_MS), 0);
}
