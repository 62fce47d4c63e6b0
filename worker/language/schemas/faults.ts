/** What is wrong with a schema or a value: bounded lists of places and words. */
import { GatewayError } from '../../../proto/errors.ts';
import { dottedOf, type Segments } from './place.ts';

/** What is wrong at one place. */
export interface Fault {
  /** Dotted notation; the root is the empty text. Contract §7. */
  readonly path: string;
  /** What would be right: "is not a string", "is less than the minimum 3". */
  readonly message: string;
}

/** No more are told at once. Spec silent. */
export const MOST_FAULTS = 100;
/** Longer paths are cut: a name may be megabytes long. Spec silent. */
const LONGEST_PATH = 1_000;

/** A fault with a path of bounded length; of a longer path the middle is left out. */
export function faultAt(path: string, message: string): Fault {
  if (path.length <= LONGEST_PATH) return { path, message };
  const half = LONGEST_PATH / 2;
  return { path: `${path.slice(0, half)}…${path.slice(-half)}`, message };
}

/** Gathers the faults of a schema. */
export class Faults {
  readonly #found: Fault[] = [];
  readonly #prefix: string;

  /** @param prefix where the schema is in the request, such as `schema` */
  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  add(place: Segments, message: string, below = ''): void {
    if (this.#found.length >= MOST_FAULTS) return;
    this.#found.push(faultAt(joined(this.#prefix, joined(dottedOf(place), below)), message));
  }

  /** @throws GatewayError BAD_REQUEST with all of them, when there are any */
  throwIfAny(): void {
    const [first] = this.#found;
    if (first === undefined) return;
    const message = `${first.path === '' ? 'The schema' : `${first.path}:`} ${first.message}`;
    throw new GatewayError('BAD_REQUEST', message, { details: this.#found });
  }
}

function joined(path: string, below: string): string {
  if (path === '' || below === '') return path + below;
  return below.startsWith('[') ? path + below : `${path}.${below}`;
}
