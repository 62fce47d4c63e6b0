/**
 * What the operations of a transaction take out of results before them. It is taken out of each
 * result when that comes: however often it is used, a large result is read once, and is not kept as values.
 */
import { GatewayError } from '../proto/errors.ts';
import type { Json } from '../proto/json.ts';
import { TooDeep } from '../proto/json-pieces.ts';
import { type Pieces, whole } from '../proto/work/pieces.ts';
import { parseAsWritten, readAsWrittenInPieces } from '../proto/written-json.ts';
import { BadReference, type PointTo, pathsInPieces, pointIn } from './result-references.ts';

/** Bytes up to which a result is read at once. */
const LIGHT_BYTES = 16 * 1024;

/** Does long work in pieces, by turns with others; undefined where nobody else needs the thread. */
type DoInPieces = (<Result>(pieces: Pieces<Result>) => Promise<Result>) | undefined;

/** How results of a kind are read. */
export interface ReadResult {
  whole(text: string): Json;
  inPieces(text: string): Pieces<Json>;
}

/** As their backends wrote them: 19.90 stays 19.90 in what takes it. */
const AS_WRITTEN: ReadResult = { whole: parseAsWritten, inPieces: readAsWrittenInPieces };

export class Pointed {
  readonly #paths: ReadonlyMap<number, ReadonlySet<string>>;
  readonly #inPieces: DoInPieces;
  readonly #read: ReadResult;
  /** What a path points to, or why to nothing. */
  readonly #found = new Map<string, Json | GatewayError>();

  private constructor(
    paths: ReadonlyMap<number, ReadonlySet<string>>,
    inPieces: DoInPieces,
    read: ReadResult,
  ) {
    this.#paths = paths;
    this.#inPieces = inPieces;
    this.#read = read;
  }

  /** @param operations whose references count */
  static async by(
    operations: readonly unknown[],
    inPieces: DoInPieces,
    read = AS_WRITTEN,
  ): Promise<Pointed> {
    const paths = pathsInPieces(operations);
    return new Pointed(await (inPieces ? inPieces(paths) : whole(paths)), inPieces, read);
  }

  /** Whether anything of a result is used. */
  uses(place: number): boolean {
    return this.#paths.has(place);
  }

  /** Takes what is used out of a result; one that nests too deep is refused where it is used. @param text its JSON */
  async take(place: number, text: () => string): Promise<void> {
    const paths = this.#paths.get(place);
    if (!paths) return;
    try {
      this.#note(paths, place, await this.#parsed(text()));
    } catch (thrown) {
      const problem = unreadableAs(thrown);
      if (problem === undefined) throw thrown;
      for (const path of paths) this.#found.set(path, new BadReference(path, problem));
    }
  }

  #parsed(text: string): Json | Promise<Json> {
    const isLight = text.length <= LIGHT_BYTES || this.#inPieces === undefined;
    return isLight ? this.#read.whole(text) : this.#inPieces(this.#read.inPieces(text));
  }

  #note(paths: ReadonlySet<string>, place: number, result: Json): void {
    const point = pointIn((index) => (index === place ? result : undefined));
    for (const path of paths) {
      try {
        this.#found.set(path, point(path));
      } catch (thrown) {
        if (!(thrown instanceof GatewayError)) throw thrown;
        this.#found.set(path, thrown);
      }
    }
  }

  /** @param others what a path points to that no result here is at the beginning of */
  at(others: PointTo): PointTo {
    return (path) => {
      const own = this.#found.get(path);
      const found = own === undefined ? others(path) : own;
      if (found instanceof GatewayError) throw found;
      return found;
    };
  }
}

/** What is wrong with references into a result that was not read; undefined where that is no matter of the result. */
export function unreadableAs(thrown: unknown): string | undefined {
  if (thrown instanceof TooDeep) return 'points into a result that nests too deep';
  if (!(thrown instanceof GatewayError) || thrown.code !== 'BAD_REQUEST') return undefined;
  return `points into a result that cannot be read (${thrown.message})`;
}
