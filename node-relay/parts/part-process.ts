/** A part as its supervisor sees it: a child process, what it last said, and whether it is well. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { OWN_PORT, STARTED_MS } from './environment.ts';
import { isBlocked, isStopped, QUIET_MS, residentBytes, stateOf } from './health.ts';
import {
  type Assignment,
  type Figures,
  type FromPart,
  fromPart,
  type Places,
  type ToPart,
} from './messages.ts';
import { Presence } from './suspects.ts';

/** Ends a process with its parent, whatever it is doing. Of util-linux. */
const SETPRIV = '/usr/bin/setpriv';
/** Of a part's memory, what is V8's: buffers lie outside it. */
const HEAP_SHARE = 0.6;
/** Milliseconds after which a process that is not loaded counts as failed. */
const LOAD_MAX_MS = 60_000;
/** Milliseconds beyond its drain that it may take to close what it has. */
const CLOSE_MAX_MS = 8_000;
/** Milliseconds in which a part that answers has told its metrics. */
const METRICS_MAX_MS = 1_000;
const NOTHING: Figures = { pools: 0, connections: 0, sessions: 0, callsInFlight: 0 };

/** How processes are started. */
export interface SpawnOptions {
  /** Path of what a process runs; parts/program.ts. */
  readonly program: string;
  /** Arguments of the relay. */
  readonly args: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
  readonly startedMs: number;
  readonly ownPort: number;
  readonly memoryBytes: number;
}

/** What a supervisor wants to know. */
export interface PartEvents {
  /** It waits to be told what it is. */
  loaded?(): void;
  /** It answers on its socket. */
  listening(): void;
  /** It wants to know what all parts have. */
  asksFigures(id: number): void;
  /** All that it said has been heard. @param how as of `ended` */
  ended(how: string): void;
}

/** How a part is looked at. */
interface LookOptions {
  /** On the clock of `performance`. */
  readonly at: number;
  /** By how much the supervisor itself is late. */
  readonly lateMs: number;
  /** How long a part may be silent for want of a processor. */
  readonly starvedMaxMs: number;
}

/** The supervisor alone uses the settings of TLS; a part gets all others. */
const SUPERVISORS = new Set(['RELAY_TLS_CERT', 'RELAY_TLS_KEY', 'RELAY_TLS_CLIENT_CA']);

/** One process, from its start to its end. */
export class PartProcess {
  readonly presence = new Presence();
  events: PartEvents | undefined;
  figures = NOTHING;
  isLoaded = false;
  /** UUID of the node, once it is loaded. */
  node = '';
  isListening = false;
  /** How it ended, when all that it said has been heard: a signal, an exit code, or why it was ended. */
  readonly ended: Promise<string>;
  /** Path of what it runs. */
  readonly program: string;
  #assign: (() => void) | undefined;
  readonly #ended = Promise.withResolvers<string>();
  #hasEnded = false;
  readonly #child: ChildProcess;
  readonly #memoryBytes: number;
  readonly #metrics = new Map<number, (metrics: object[]) => void>();
  #questions = 0;
  #killedFor: string | undefined;
  /** On the clock of `performance`. */
  #heardAt = performance.now();
  /** Of the time since then, what this process itself was late. */
  #lateMs = 0;
  #residentBytes = 0;
  #cpuAtBeatMs = 0;
  #cpuAtLookMs: number | undefined;
  #seemedBlocked = false;
  /** It loads code, and does not beat meanwhile. */
  #isLoading = false;

  constructor(options: SpawnOptions) {
    this.ended = this.#ended.promise;
    this.program = options.program;
    this.#memoryBytes = options.memoryBytes;
    this.#child = spawnPart(options);
    this.#child.on('message', (message) => this.#hear(fromPart(message)));
    // What it said last is heard before the channel closes.
    let open = 2;
    const closed = (): void => {
      open -= 1;
      if (open === 0) this.#end();
    };
    this.#child.once('exit', closed).once('disconnect', closed);
    this.#child.on('error', () => {
      if (this.#child.pid === undefined) this.#end();
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Tells it what it is, as soon as it is loaded. */
  assign(assignment: Assignment, places: () => Places): void {
    this.#assign = () => this.send({ type: 'assign', assignment, places: places() });
    if (this.isLoaded) this.#assign();
  }

  send(message: ToPart): void {
    if (this.#child.connected) this.#child.send(message, () => {});
  }

  /** Ends it at once; nothing it does can prevent that. */
  kill(why: string): void {
    if (this.#hasEnded || this.#killedFor !== undefined) return;
    this.#killedFor = why;
    this.#child.kill('SIGKILL');
  }

  /** Has it finish its calls for `drainMs` and end; settles when it is gone. */
  async end(drainMs: number): Promise<void> {
    if (!this.isListening) this.kill('it is not needed');
    this.send({ type: 'drain' });
    const hard = setTimeout(() => this.kill('it did not end'), drainMs + CLOSE_MAX_MS);
    await this.ended;
    clearTimeout(hard);
  }

  /** Its metrics; undefined when it does not tell them in time. */
  metrics(): Promise<object[] | undefined> {
    this.#questions += 1;
    const id = this.#questions;
    const { promise, resolve } = Promise.withResolvers<object[] | undefined>();
    this.#metrics.set(id, resolve);
    const late = setTimeout(resolve, METRICS_MAX_MS, undefined);
    this.send({ type: 'metrics', id });
    return promise.finally(() => {
      clearTimeout(late);
      this.#metrics.delete(id);
    });
  }

  /** Ends it if it does not answer or holds too much. */
  look({ at, lateMs, starvedMaxMs }: LookOptions): void {
    if (this.#hasEnded) return;
    this.#lateMs += lateMs;
    const silentMs = at - this.#heardAt;
    const process = silentMs >= QUIET_MS ? stateOf(this.pid) : undefined;
    if (!this.isLoaded) {
      // Stopped at two looks: it says nothing that would tell since when.
      if (this.#seemedBlocked && isStopped(process)) this.kill('it was blocked');
      if (silentMs > LOAD_MAX_MS) this.kill('it did not load');
      this.#seemedBlocked = isStopped(process);
      return;
    }
    const bytes = residentBytes(this.pid) ?? this.#residentBytes;
    if (bytes > this.#memoryBytes) this.kill('it held too much memory');
    const [cpuAtBeatMs, cpuAtLookMs] = [this.#cpuAtBeatMs, this.#cpuAtLookMs];
    const lateness = { silentMs, lateMs: this.#lateMs, isLoading: this.#isLoading, starvedMaxMs };
    const seems = isBlocked({ ...lateness, process, cpuAtBeatMs, cpuAtLookMs });
    // What it said while this process itself had to wait is heard before the next look.
    if (seems && (this.#seemedBlocked || isStopped(process))) this.kill('it was blocked');
    this.#seemedBlocked = seems;
    this.#cpuAtLookMs = process?.cpuMs;
  }

  #hear(message: FromPart | undefined): void {
    if (message === undefined) return;
    this.#heardAt = performance.now();
    this.#lateMs = 0;
    this.#cpuAtLookMs = undefined;
    this.#seemedBlocked = false;
    if (message.type === 'beat') {
      this.figures = message.figures;
      this.#cpuAtBeatMs = message.cpuMs;
      this.#residentBytes = message.residentBytes;
    } else if (message.type === 'loading') {
      this.#isLoading = message.isLoading;
    } else if (message.type === 'busy') {
      this.presence.busy(message.key);
    } else if (message.type === 'idle') {
      for (const key of message.keys) this.presence.idle(key, Date.now());
    } else if (message.type === 'metrics') {
      this.#metrics.get(message.id)?.(message.metrics);
    } else if (message.type === 'figures') {
      this.events?.asksFigures(message.id);
    } else if (message.type === 'loaded') {
      this.isLoaded = true;
      this.node = message.node;
      this.#assign?.();
      this.events?.loaded?.();
    } else {
      this.isListening = true;
      this.events?.listening();
    }
  }

  #end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.isListening = false;
    const { exitCode, signalCode } = this.#child;
    const how = this.#killedFor ?? signalCode ?? `exit code ${exitCode}`;
    this.events?.ended(how);
    this.#ended.resolve(how);
  }
}

function spawnPart({
  program: file,
  args,
  environment,
  startedMs,
  ownPort,
  memoryBytes,
}: SpawnOptions) {
  const heapMb = Math.floor((memoryBytes * HEAP_SHARE) / 1024 / 1024);
  const program = [process.execPath, `--max-old-space-size=${heapMb}`, file, ...args];
  const tied = existsSync(SETPRIV) ? [SETPRIV, '--pdeathsig=KILL', '--', ...program] : program;
  const [command = process.execPath, ...rest] = tied;
  const own = Object.entries(environment).filter(([name]) => !SUPERVISORS.has(name));
  return spawn(command, rest, {
    env: {
      ...Object.fromEntries(own),
      [STARTED_MS]: String(startedMs),
      [OWN_PORT]: String(ownPort),
    },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
}
