/**
 * Keeps the parts of a relay running: one process per slot, others that wait to stand in, and
 * parts for organizations whose calls end others. It starts, watches and ends processes, and sees nothing of any call.
 */
import { STARVED_MAX_MS, STOPPING_MAX_MS } from './health.ts';
import { Judge } from './judge.ts';
import type { MergedMetrics } from './merged-metrics.ts';
import { type Figures, type HeardByNode, type Places, together } from './messages.ts';
import { PartProcess } from './part-process.ts';
import { socketIn } from './places.ts';
import { PartProgram } from './program.ts';
import type { Slot, SupervisorOptions } from './slot.ts';
import { StandIns } from './stand-ins.ts';

/** How often parts are looked at, in milliseconds. */
const LOOK_MS = 150;
/** Milliseconds by which a look may be late before parts are excused: on a busy machine their beats are late as well. */
const LATE_MS = 100;
/** Stand-ins that are for the parts that all share. */
const SHARED_STAND_INS = 1;
/** Pause before a process that could not even be loaded is tried again, in milliseconds. */
const FAILED_PAUSE_MS = 100;
/** Milliseconds in which parts hear of a new place. */
const TOLD_MS = 1_000;

/** All parts of one relay. */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #shared: Slot[] = [];
  readonly #own = new Map<string, Slot>();
  readonly #judge: Judge;
  readonly #causes = new Map<string, number>();
  #metrics: Promise<MergedMetrics> | undefined;
  readonly #leaving = new Set<PartProcess>();
  readonly #standIns: StandIns;
  /** Names of parts of their own that are to be started: one after another, and none while a shared one is not back. */
  readonly #unopened: string[] = [];
  #opening: PartProcess | undefined;
  readonly #program: PartProgram;
  /** Settles when nothing more of the program is being made. */
  #making = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #draining = false;
  #heard: HeardByNode | undefined;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#standIns = new StandIns({
      kept: options.standIns,
      log: options.log,
      make: () => this.#newProcess(),
      isPressed: () =>
        this.#shared.some(({ part }) => !part.isListening) || this.#opening !== undefined,
    });
    this.#judge = new Judge(options.log);
    this.#program = new PartProgram(options.log);
  }

  get draining(): boolean {
    return this.#draining;
  }

  /** Where calls are served now. */
  get places(): Places {
    const own = [...this.#judge.ownParts].flatMap(({ name, keys }) => {
      const slot = this.#own.get(name);
      return slot?.isOpen ? [...keys].map((key) => [key, slot.socket] as const) : [];
    });
    return {
      shared: this.#shared.map(({ socket }) => socket),
      own: Object.fromEntries(own),
    };
  }

  /** The socket of any part that listens. */
  get anySocket(): string | undefined {
    return this.#shared.find(({ part }) => part.isListening)?.socket;
  }

  /** UUID of the node, once a part is loaded. */
  get node(): string {
    return this.#shared[0]?.part.node ?? '';
  }

  /** Whether all parts but those that are being replaced take calls. */
  get ready(): boolean {
    return this.#shared.length > 0 && this.#shared.every(({ part }) => part.isListening);
  }

  /** Passes on what the node was told, also to parts that are started later. */
  tellHeard(heard: HeardByNode): void {
    this.#heard = heard;
    for (const { part } of this.#slots()) part.send({ type: 'heard', ...heard });
  }

  /** Starts all parts; settles when each listens. @throws Error when one ends before */
  async start(): Promise<void> {
    await this.#program.find();
    if (this.#draining) return;
    const started = Array.from({ length: this.#options.parts }, (_, index) =>
      this.#add(String(index), this.#newProcess()),
    );
    this.#shared.push(...started.map(({ slot }) => slot));
    let looked = performance.now();
    this.#timer = setInterval(() => {
      const at = performance.now();
      const lateMs = at - looked - LOOK_MS;
      looked = at;
      // After what has arrived meanwhile has been heard.
      setImmediate(() => this.#look(at, lateMs > LATE_MS ? lateMs : 0));
    }, LOOK_MS);
    await Promise.all(started.map(({ listening }) => listening));
    this.#making = this.#program.make().then(() => this.#standIns.start());
  }

  #newProcess(): PartProcess {
    const part = new PartProcess({ ...this.#options, program: this.#program.file });
    void part.ended.then((how) => {
      if (!part.isLoaded && how.startsWith('exit code')) this.#program.distrust(part.program);
    });
    return part;
  }

  /** Lets calls in flight finish, then ends all parts; one that does not end is killed. */
  async stop(): Promise<void> {
    this.#draining = true;
    this.#standIns.close();
    const parts = [...this.#slots().map(({ part }) => part), ...this.#leaving];
    const { drainMs } = this.#options;
    await Promise.all([...parts.map((part) => part.end(drainMs)), this.#making]);
    clearInterval(this.#timer);
  }

  /** The metrics of all parts, for Prometheus. */
  async metrics(): Promise<{ readonly type: string; readonly text: string }> {
    this.#metrics ??= this.#loadMetrics();
    const merged = await this.#metrics;
    const told = await Promise.all(
      this.#listening().map(async (part) => [part.pid, await part.metrics()] as const),
    );
    const known = told.flatMap(([pid, values]) => (values ? [[pid, values] as const] : []));
    return { type: merged.contentType, text: await merged.text(new Map(known)) };
  }

  /** When they are first asked for: the library takes its time to load. */
  async #loadMetrics(): Promise<MergedMetrics> {
    const { MergedMetrics } = await import('./merged-metrics.ts');
    return new MergedMetrics(() => this.#listening().length, this.#causes);
  }

  #slots(): Slot[] {
    return [...this.#shared, ...this.#own.values()];
  }

  #listening(): PartProcess[] {
    return this.#slots().flatMap(({ part }) => (part.isListening ? [part] : []));
  }

  /** What all parts have together. */
  get figures(): Figures {
    return together(this.#listening().map(({ figures }) => figures));
  }

  /** A new slot, and when its first process listens. */
  #add(name: string, part: PartProcess): { slot: Slot; listening: Promise<void> } {
    const socket = socketIn(this.#options.sockets, name);
    const slot: Slot = { name, socket, part, isOpen: false };
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#settle(slot, resolve, () => reject(new Error('A part of the relay did not start')));
    return { slot, listening: promise };
  }

  /** Has the slot's process be that slot from now on. */
  #settle(slot: Slot, listening: () => void = () => {}, failed: () => void = () => {}): void {
    const { part } = slot;
    const assigned = performance.now();
    part.events = {
      listening: () => {
        const afterMs = Math.round(performance.now() - assigned);
        this.#options.log.info({ part: slot.name, pid: part.pid, afterMs }, 'relay part ready');
        this.#options.log.flush();
        const isFirst = !slot.isOpen;
        slot.isOpen = true;
        if (isFirst && this.#own.has(slot.name)) this.#tellPlaces();
        listening();
        this.#goOn(part);
      },
      asksFigures: (id) => part.send({ type: 'figures', id, figures: this.figures }),
      ended: (how) => {
        failed();
        this.#died(slot, how);
        this.#goOn(part);
      },
    };
    part.assign({ name: slot.name, socket: slot.socket }, () => this.places);
    if (this.#heard) part.send({ type: 'heard', ...this.#heard });
  }

  /** Starts what waits its turn, once a process listens or has ended. */
  #goOn(part: PartProcess): void {
    if (this.#opening === part) this.#opening = undefined;
    this.#openNext();
    this.#standIns.load();
  }

  #died(slot: Slot, how: string): void {
    const { part, name } = slot;
    const { log } = this.#options;
    if (this.#draining || !this.#slots().includes(slot)) {
      void this.#metrics?.then((metrics) => metrics.ended(part.pid));
      return;
    }
    this.#causes.set(how, (this.#causes.get(how) ?? 0) + 1);
    void this.#metrics?.then((metrics) => metrics.ended(part.pid));
    const suspects = part.presence.suspects(Date.now());
    log.warn(
      { part: name, pid: part.pid, how, organizations: suspects.slice(0, 10) },
      'relay part ended; starting it again',
    );
    log.flush();
    this.#standIns.died(performance.now());
    const made = this.#judge.died(name, suspects);
    if (part.isLoaded) this.#fill(slot);
    else setTimeout(() => this.#fill(slot), FAILED_PAUSE_MS);
    this.#unopened.push(...made);
    this.#tellPlaces();
  }

  #fill(slot: Slot): void {
    if (this.#draining || !this.#slots().includes(slot)) return;
    if (this.#own.has(slot.name)) {
      this.#unopened.push(slot.name);
      this.#openNext();
      return;
    }
    slot.part = this.#standIns.take() ?? this.#newProcess();
    this.#settle(slot);
  }

  #openNext(): void {
    if (this.#draining || this.#opening !== undefined || !this.ready) return;
    const name = this.#unopened.shift();
    if (name === undefined) return;
    // Its time may be over by now.
    if (!this.#judge.isOwn(name)) return void this.#openNext();
    const part = this.#standIns.take(SHARED_STAND_INS) ?? this.#newProcess();
    this.#opening = part;
    const slot = this.#own.get(name);
    if (slot === undefined) {
      const made = this.#add(name, part);
      this.#own.set(name, made.slot);
      made.listening.catch(() => {}); // It is started again as any other.
    } else {
      slot.part = part;
      this.#settle(slot);
    }
  }

  #tellPlaces(): void {
    const { places } = this;
    for (const { part } of this.#slots()) part.send({ type: 'places', places });
  }

  #look(at: number, lateMs: number): void {
    const parts = [...this.#slots().map(({ part }) => part), ...this.#leaving];
    const starvedMaxMs = this.#draining ? STOPPING_MAX_MS : STARVED_MAX_MS;
    for (const part of [...parts, ...this.#standIns]) part.look({ at, lateMs, starvedMaxMs });
    const over = this.#judge.ownParts.over(Date.now(), ({ name }) => {
      const { callsInFlight = 0, sessions = 0 } = this.#own.get(name)?.part.figures ?? {};
      return callsInFlight === 0 && sessions === 0;
    });
    if (over.length === 0) return;
    this.#tellPlaces();
    for (const { name } of over) this.#dissolve(name);
  }

  /** Ends a part whose keys have gone back to where they came from. */
  #dissolve(name: string): void {
    const slot = this.#own.get(name);
    if (slot === undefined) return;
    this.#own.delete(name);
    this.#leaving.add(slot.part);
    this.#options.log.info({ part: name }, 'relay part no longer needed');
    setTimeout(() => {
      void slot.part.end(this.#options.drainMs).then(() => this.#leaving.delete(slot.part));
    }, TOLD_MS);
  }
}
