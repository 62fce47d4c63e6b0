/** Gathers what is wrong with a definition: every fault with its path, all at once. */
import { GatewayError } from '../../../proto/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../proto/json.ts';
import { type HintOptions, hintFor } from '../../../proto/near-name.ts';
import type { Pieces } from '../../../proto/work/pieces.ts';
import { Fault as SourceFault } from '../../language/expressions/index.ts';
import type { Fault } from '../compiled.ts';

/** No more are told at once. Spec silent. */
const FAULTS_MAX = 1000;
/** Known names that wrong ones are compared with, all faults of a definition counted: some 20 ms. Spec silent. */
const COMPARED_MAX = 20_000;

/** The faults of one definition. */
export class Report {
  readonly faults: Fault[] = [];
  #compared = 0;

  add(path: string, message: string, place: { line?: number; column?: number } = {}): void {
    if (this.faults.length < FAULTS_MAX) this.faults.push({ path, message, ...place });
  }

  /** What follows a wrong name in a message, with what separates it; nothing where very many have had theirs. */
  hint(given: string, known: Iterable<string>, options: HintOptions = {}): string {
    if (this.#compared > COMPARED_MAX || this.faults.length >= FAULTS_MAX) return '';
    const names = [...known];
    this.#compared += names.length;
    return `; ${hintFor(given, names, options)}`;
  }

  /** What `make` makes; undefined when it throws for a fault of a source or a schema, which is told then. */
  try<Made>(path: string, make: () => Made): Made | undefined {
    try {
      return make();
    } catch (error) {
      if (error instanceof SourceFault) {
        const { message, line, column } = error;
        this.add(path, message, { line, column });
      } else if (error instanceof GatewayError && error.code === 'BAD_REQUEST') {
        this.#addDetails(path, error);
      } else throw error;
      return undefined;
    }
  }

  /** The same of what is made in pieces. */
  *tryInPieces<Made>(path: string, pieces: Pieces<Made>): Pieces<Made | undefined> {
    for (;;) {
      const piece = this.try(path, () => pieces.next());
      if (piece === undefined) return undefined;
      if (piece.done) return piece.value;
      yield;
    }
  }

  #addDetails(path: string, { details, message }: GatewayError): void {
    if (details.length === 0) this.add(path, message);
    for (const each of details) {
      if ('path' in each && typeof each.path === 'string')
        this.add(each.path, String(each.message));
    }
  }
}

/** One object of a definition: its members are asked for one by one, the rest is unknown. */
export class Members {
  readonly path: string;
  readonly object: JsonObject;
  readonly report: Report;

  constructor(object: JsonObject, path: string, report: Report) {
    this.object = object;
    this.path = path;
    this.report = report;
  }

  at(name: string): string {
    return `${this.path}.${name}`;
  }

  has(name: string): boolean {
    return Object.hasOwn(this.object, name);
  }

  get(name: string): Json | undefined {
    return this.has(name) ? this.object[name] : undefined;
  }

  fault(name: string, message: string): undefined {
    this.report.add(this.at(name), message);
    return undefined;
  }

  /** Text that is not empty; undefined when absent or, with a fault, another value. */
  text(name: string): string | undefined {
    const value = this.get(name);
    if (value === undefined || (typeof value === 'string' && value !== '')) return value;
    return this.fault(name, 'must be a text of at least one character');
  }

  /** The same, with a fault when it is absent. */
  needText(name: string): string | undefined {
    return this.has(name) ? this.text(name) : this.fault(name, 'is required');
  }

  list(name: string): readonly Json[] | undefined {
    const value = this.get(name);
    if (value === undefined || Array.isArray(value)) return value;
    return this.fault(name, 'must be an array');
  }

  /** Of an object within. */
  members(name: string): Members | undefined {
    const value = this.get(name);
    if (value === undefined) return undefined;
    if (isJsonObject(value)) return new Members(value, this.at(name), this.report);
    return this.fault(name, 'must be an object');
  }

  /** Reports every member that is none of these. */
  refuseOthers(names: readonly string[], of: string): void {
    for (const name of Object.keys(this.object)) {
      if (!names.includes(name)) {
        this.fault(name, `is no member of ${of}, which has ${names.join(', ')}`);
      }
    }
  }
}
