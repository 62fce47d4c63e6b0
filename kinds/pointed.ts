/**
 * What the operations of a transaction take out of results before them. It is taken out of each
 * result when that comes: however often it is used, a large result is read once, and is not kept as values.
 */
import { GatewayError } from '../proto/errors.ts';
import { type Json, parseJson } from '../proto/json.ts';
import { parseInPieces } from '../proto/json-pieces.ts';
import { type Pieces, whole } from '../proto/work/pieces.ts';
import { type PointTo, pathsInPieces, pointIn } from './result-references.ts';

/** Bytes up to which a result is read at once. */
const LIGHT_BYTES = 16 * 1024;

/** Does long work in pieces, by turns with others; undefined where nobody else needs the thread. */
type DoInPieces = (<Result>(pieces: Pieces<Result>) => Promise<Result>) | undefined;

/** How results of a kind are read. */
export interface ReadResult {
  whole(text: string): Json;
  inPieces(text: string): Pieces<Json>;
}

const PLAIN: ReadResult = { whole: parseJson, inPieces: parseInPieces };

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
    read = PLAIN,
  ): Promise<Pointed> {
    const paths = pathsInPieces(operations);
    return new Pointed(await (inPieces ? inPieces(paths) : whole(paths)), inPieces, read);
  }

  /** Whether anything of a result is used. */
  uses(place: number): boolean {
    return this.#paths.has(place);
  }

  /** Takes what is used out of a result. @param text its JSON */
  async take(place: number, text: () => string): Promise<void> {
    const paths = this.#paths.get(place);
    if (paths) this.#note(paths, place, await this.#parsed(text()));
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
