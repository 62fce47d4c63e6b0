/**
 * Keeps the parts of a relay running: one process per slot, another that waits to stand in, and
 * parts for who ends others. It starts, watches and ends processes, and sees nothing of any call.
 */
import type { Log } from '../log.ts';
import { STARVED_MAX_MS, STOPPING_MAX_MS } from './health.ts';
import type { MergedMetrics } from './merged-metrics.ts';
import { type Figures, type Places, together } from './messages.ts';
import { type OwnPart, OwnParts } from './own-parts.ts';
import { PartProcess, type SpawnOptions } from './part-process.ts';
import { socketIn } from './places.ts';
import { Deaths } from './suspects.ts';

/** How often parts are looked at, in milliseconds. */
const LOOK_MS = 200;
/** A look that comes so many milliseconds late finds parts as late, on the same machine. */
const LATE_MS = 100;
/** Milliseconds after the first start until a process is loaded that waits to stand in. */
const SPARE_AFTER_MS = 2_000;
/** Pause before a process that could not even be loaded is tried again, in milliseconds. */
const FAILED_PAUSE_MS = 100;
/** Milliseconds in which parts hear of a new place. */
const TOLD_MS = 1_000;
/** A part may take so many milliseconds beyond its drain to close what it has. */
const CLOSE_MAX_MS = 8_000;

/** What a supervisor is made of. */
export interface SupervisorOptions extends SpawnOptions {
  readonly log: Log;
  readonly parts: number;
  /** Folder of the parts' sockets, private to this user. */
  readonly sockets: string;
  readonly drainMs: number;
}

/** A place for a part, whichever process fills it. */
interface Slot {
  readonly name: string;
  readonly socket: string;
  part: PartProcess;
  /** Whether it has listened once: until then, who gets it is served where they were. */
  isOpen: boolean;
}

/** All parts of one relay. */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #shared: Slot[] = [];
  readonly #own = new Map<string, Slot>();
  readonly #ownParts = new OwnParts();
  readonly #deaths = new Deaths();
  readonly #causes = new Map<string, number>();
  #metrics: Promise<MergedMetrics> | undefined;
  readonly #leaving = new Set<PartProcess>();
  #spare: PartProcess | undefined;
  #spareTimer: NodeJS.Timeout | undefined;
  #timer: NodeJS.Timeout | undefined;
  #draining = false;

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  get draining(): boolean {
    return this.#draining;
  }

  /** Where calls are served now. */
  get places(): Places {
    const own = [...this.#ownParts].flatMap(({ name, keys }) => {
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

  /** Starts all parts; settles when each listens. @throws Error when one ends before */
  async start(): Promise<void> {
    const { parts } = this.#options;
    const started = Array.from({ length: parts }, (_, index) => this.#add(String(index)));
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
    this.#spareTimer = setTimeout(() => this.#loadSpare(), SPARE_AFTER_MS);
  }

  /** Lets calls in flight finish, then ends all parts; one that does not end is killed. */
  async stop(): Promise<void> {
    this.#draining = true;
    clearTimeout(this.#spareTimer);
    this.#spare?.kill('it is not needed');
    const parts = [...this.#slots().map(({ part }) => part), ...this.#leaving];
    await Promise.all(parts.map((part) => this.#end(part)));
    clearInterval(this.#timer);
  }

  /** What the parts tell of themselves, for Prometheus. */
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

  #figures(): Figures {
    return together(this.#listening().map(({ figures }) => figures));
  }

  /** A new slot, and when its first process listens. */
  #add(name: string): { slot: Slot; listening: Promise<void> } {
    const socket = socketIn(this.#options.sockets, name);
    const slot: Slot = { name, socket, part: this.#take(), isOpen: false };
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#settle(slot, resolve, () => reject(new Error('A part of the relay did not start')));
    return { slot, listening: promise };
  }

  /** The process that waits, else a new one. */
  #take(): PartProcess {
    const taken = this.#spare ?? new PartProcess(this.#options);
    this.#spare = undefined;
    return taken;
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
        if (this.#spareTimer !== undefined) this.#loadSpare();
      },
      asksFigures: (id) => part.send({ type: 'figures', id, figures: this.#figures() }),
      ended: (how) => {
        failed();
        this.#died(slot, how);
      },
    };
    part.assign({ name: slot.name, socket: slot.socket }, () => this.places);
  }

  #loadSpare(): void {
    if (this.#draining || this.#spare !== undefined) return;
    const spare = new PartProcess(this.#options);
    this.#spare = spare;
    spare.events = {
      listening: () => {},
      asksFigures: () => {},
      ended: () => {
        if (this.#spare !== spare) return;
        this.#spare = undefined;
        setTimeout(() => this.#loadSpare(), FAILED_PAUSE_MS);
      },
    };
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
    const made = this.#judge(name, suspects);
    if (part.isLoaded) this.#fill(slot);
    else setTimeout(() => this.#fill(slot), FAILED_PAUSE_MS);
    for (const own of made) this.#open(own);
    this.#tellPlaces();
  }

  #fill(slot: Slot): void {
    if (this.#draining || !this.#slots().includes(slot)) return;
    slot.part = this.#take();
    this.#settle(slot);
  }

  /** Takes who was there too often out of the part that died; answers the parts that this needs. */
  #judge(name: string, suspects: readonly string[]): OwnPart[] {
    const now = Date.now();
    for (const part of this.#ownParts) {
      if (part.name !== name) continue;
      this.#ownParts.prolong(part, now);
      return [];
    }
    return this.#deaths.note(suspects, now).flatMap((key) => {
      this.#options.log.warn({ key }, 'ended parts of the relay twice: gets one of its own');
      return this.#ownParts.take(key, now) ?? [];
    });
  }

  #open({ name }: OwnPart): void {
    const { slot, listening } = this.#add(name);
    this.#own.set(name, slot);
    listening.catch(() => {}); // It is started again as any other.
  }

  #tellPlaces(): void {
    const { places } = this;
    for (const { part } of this.#slots()) part.send({ type: 'places', places });
  }

  #look(at: number, lateMs: number): void {
    const parts = [...this.#slots().map(({ part }) => part), ...this.#leaving];
    const starvedMaxMs = this.#draining ? STOPPING_MAX_MS : STARVED_MAX_MS;
    const how = { at, lateMs, starvedMaxMs };
    for (const part of this.#spare ? [...parts, this.#spare] : parts) part.look(how);
    const over = this.#ownParts.over(Date.now(), ({ name }) => {
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
      void this.#end(slot.part).then(() => this.#leaving.delete(slot.part));
    }, TOLD_MS);
  }

  /** Settles when the process is gone. */
  async #end(part: PartProcess): Promise<void> {
    if (!part.isListening) part.kill('it is not needed');
    part.send({ type: 'drain' });
    const hard = setTimeout(
      () => part.kill('it did not end'),
      this.#options.drainMs + CLOSE_MAX_MS,
    );
    await part.ended;
    clearTimeout(hard);
  }
}
