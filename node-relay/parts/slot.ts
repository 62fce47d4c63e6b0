/** What a supervisor is made of, and the places that it fills. */
import type { Log } from '../log.ts';
import type { PartProcess, SpawnOptions } from './part-process.ts';

/** What a supervisor is made of. */
export interface SupervisorOptions extends Omit<SpawnOptions, 'program'> {
  readonly log: Log;
  readonly parts: number;
  /** Loaded processes that wait for a part to die. */
  readonly standIns: number;
  /** Folder of the parts' sockets, private to this user. */
  readonly sockets: string;
  readonly drainMs: number;
}

/** A place for a part, whichever process fills it. */
export interface Slot {
  readonly name: string;
  readonly socket: string;
  part: PartProcess;
  /** Whether it has listened once: until then, its organization is served where it was. */
  isOpen: boolean;
}
