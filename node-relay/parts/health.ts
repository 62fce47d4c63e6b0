/** Whether a part still answers, judged by its beats and by what the system says about its process. */
import { readdirSync, readFileSync } from 'node:fs';

/** How often a part beats, in milliseconds. */
export const BEAT_MS = 250;
/** Milliseconds without a beat after which a part is looked at twice: it must be gone within two seconds. */
const SILENT_MS = 1_000;
/** The system is asked about a part that has been silent for so long, in milliseconds. */
export const QUIET_MS = 600;
/** Milliseconds of processor time without a beat after which a part counts as stuck in a loop. */
const SPUN_MS = 500;
/** The same while it loads code: the first time on a slow machine takes more than a second. */
const LOADED_MAX_MS = 5_000;
/** Milliseconds that a part may be silent while the machine gives it no processor. */
export const STARVED_MAX_MS = 10_000;
/** The same while the relay stops: no process may stay behind. */
export const STOPPING_MAX_MS = 3_000;
/** Where the system says nothing about processes. */
const UNSEEN_MAX_MS = 1_500;
/** Of `CLK_TCK`, which Linux has at 100 for programs on all its machines. Source: proc_pid_stat(5). */
const MS_PER_TICK = 10;

/** What is known of a part when it is looked at. */
export interface HealthSample {
  /** Milliseconds since its last beat. */
  readonly silentMs: number;
  /**
   * Of these, those in which the supervisor itself was late, because the machine did other things.
   * They excuse only a part that may be waiting for a processor.
   */
  readonly lateMs: number;
  /** What the system says, where it does. */
  readonly process: ProcessState | undefined;
  /** What its main thread had used at its last beat, in milliseconds. */
  readonly cpuAtBeatMs: number;
  /** What it had used when it was last looked at; undefined the first time since the beat. */
  readonly cpuAtLookMs: number | undefined;
  /** Whether it loads code, as it has said. */
  readonly isLoading: boolean;
  /** How long it may be silent for want of a processor. */
  readonly starvedMaxMs: number;
}

/** Of a main thread. */
interface ProcessState {
  /**
   * As in /proc: `R` runs or waits for a processor, `S` sleeps, `T` is stopped. One that sleeps while another thread of its
   * process wants a processor is `R`: the engine's main thread waits for those that collect garbage or compile.
   */
  readonly state: string;
  readonly cpuMs: number;
}

/** Whether a part seems to be blocked. */
export function isBlocked(look: HealthSample): boolean {
  const { silentMs, lateMs, process, cpuAtBeatMs, cpuAtLookMs, isLoading, starvedMaxMs } = look;
  const unseenMaxMs = isLoading ? LOADED_MAX_MS : UNSEEN_MAX_MS;
  if (silentMs < SILENT_MS) return false;
  if (process === undefined) return silentMs - lateMs >= unseenMaxMs;
  const { state, cpuMs } = process;
  if (isStopped(process)) return true;
  if (cpuMs - cpuAtBeatMs >= (isLoading ? LOADED_MAX_MS : SPUN_MS)) return true;
  // Asleep, and not for want of a processor: it waits for something within one turn of its loop.
  if (state === 'S' && cpuMs === cpuAtLookMs) return true;
  return silentMs - lateMs >= starvedMaxMs;
}

/** Whether the process was stopped by a signal: it then stays silent. */
export function isStopped(process: ProcessState | undefined): boolean {
  return process?.state === 'T' || process?.state === 't';
}

/** What Linux says about a process's main thread; undefined elsewhere, and for one that has ended. */
export function stateOf(pid: number): ProcessState | undefined {
  const fields = fieldsOf(pid, pid);
  if (fields === undefined) return undefined;
  const [own = '', ...rest] = fields;
  const state = own === 'S' && hasReadyThread(pid) ? 'R' : own;
  // Fields 14 and 15 of proc_pid_stat(5); the state is its third.
  const ticks = Number(rest[10]) + Number(rest[11]);
  return { state, cpuMs: ticks * MS_PER_TICK };
}

/** Of a thread, from its state on. */
function fieldsOf(pid: number, thread: number | string): readonly string[] | undefined {
  const text = readProc(`/proc/${pid}/task/${thread}/stat`);
  // The name is in parentheses, and may hold any character.
  return text?.slice(text.lastIndexOf(')') + 2).split(' ');
}

function hasReadyThread(pid: number): boolean {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    return threads.some((thread) => fieldsOf(pid, thread)?.[0] === 'R');
  } catch {
    return false;
  }
}

/** Bytes that a process holds in memory, by Linux; undefined elsewhere, and for one that has ended. */
export function residentBytes(pid: number): number | undefined {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readProc(`/proc/${pid}/status`) ?? '')?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

function readProc(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
