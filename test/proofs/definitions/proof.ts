/** The proof that reading a definition of a workflow or a template takes as long as it is large, in short pieces, and tells little of very many faults. */
import type { JsonObject } from '../../../proto/json.ts';
import { type Pieces, whole } from '../../../proto/work/pieces.ts';
import { transformationInPieces } from '../../../worker/templates/transformation/index.ts';
import { actionsOf } from '../../../worker/workflows/definition/dag.ts';
import type { Fault } from '../../../worker/workflows/definition/findings.ts';
import { readWorkflowInPieces } from '../../../worker/workflows/definition/read.ts';
import { growthOf } from '../doubling/measure.ts';
import { cpuMs } from '../processor-time.ts';
import type { Proof, ProofOptions, ProofResult } from '../proof.ts';
import { Choices } from '../random.ts';
import { allDefinitions, type GrowingDefinition } from './grammar.ts';

/** Characters of the largest definition. */
const MOST = 1_000_000;
/** Milliseconds of the processor that one piece may take of the largest one. */
const PIECE_MAX_MS = 80;
/** Up to so many milliseconds anything may grow: looks at other actions do, up to their bound. */
const BOUNDED_MS = 100;
/** Characters that all messages and paths may have together. */
const TOLD_MAX = 512 * 1024;
/** Tries of what seems to take too long: a collection of garbage falls into some. */
const TRIES = 3;
/** Counts by whose difference the size of one more is known. */
const [FEW, MORE] = [200, 400] as const;
/** Sentences of progress come after so many cases. */
const TOLD_AFTER = 50;

async function run({ seed, count, progress }: ProofOptions): Promise<ProofResult> {
  const faults: string[] = [];
  const all = allDefinitions(new Choices(seed)).slice(0, count);
  let longest = 0;
  for (const [at, each] of all.entries()) {
    const sized = (size: number) => each.make(Math.floor(size / sizeOfOne(each)));
    const growth = growthOf((size) => {
      const definition = sized(size);
      return () => whole(read(definition));
    }, MOST);
    if (growth !== undefined && Math.max(...growth.ms) > BOUNDED_MS) {
      const ms = growth.ms.map((time) => time.toFixed(1)).join(', ');
      faults.push(`${each.name}: ${ms} ms at ${growth.size} and twice and four times that`);
    }
    const { pieceMs, told } = await measured(sized(MOST));
    longest = Math.max(longest, pieceMs);
    if (pieceMs > PIECE_MAX_MS) faults.push(`${each.name}: a piece of ${pieceMs.toFixed(0)} ms`);
    if (told > TOLD_MAX) faults.push(`${each.name}: ${told} characters are told`);
    if (at % TOLD_AFTER === 0) progress(`${at} of ${all.length}`);
  }
  return { cases: all.length, faults, figures: { 'longest piece, ms': Math.round(longest) } };
}

/** Characters that one more makes. */
function sizeOfOne({ make }: GrowingDefinition): number {
  const [few, more] = [FEW, MORE].map((count) => JSON.stringify(make(count)).length);
  return ((more ?? 0) - (few ?? 0)) / (MORE - FEW);
}

/** All faults of a definition, of a graph of nodes, or of a template. */
function* read(definition: JsonObject): Pieces<readonly Fault[]> {
  if (Object.hasOwn(definition, 'transformationRules')) {
    // As a body that has passed its shape.
    return (yield* transformationInPieces(definition as never)).faults;
  }
  const isGraph = Object.hasOwn(definition, 'dag');
  const graph = isGraph ? actionsOf(definition) : undefined;
  yield;
  const json = graph ? { name: 'w', actions: [...graph.actions] } : definition;
  const { faults } = yield* readWorkflowInPieces(json, { kindOf: () => 'postgres' });
  return [...(graph?.faults ?? []), ...faults];
}

/** The longest piece, and how much is told. */
async function measured(definition: JsonObject) {
  let told = 0;
  let pieceMs = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < TRIES && pieceMs > PIECE_MAX_MS; attempt += 1) {
    const pieces = read(definition);
    let faults: readonly Fault[] | undefined;
    let longest = 0;
    while (faults === undefined) {
      const next = (): void => {
        const piece = pieces.next();
        if (piece.done) faults = piece.value;
      };
      longest = Math.max(longest, cpuMs(next));
    }
    pieceMs = Math.min(pieceMs, longest);
    told = faults.reduce((sum, { path, message }) => sum + path.length + message.length, 0);
  }
  return { pieceMs, told };
}

export const proof: Proof = {
  promise:
    'A definition of twice the size takes no more than 2.5 times as long to read, no piece of that holds the thread, and little is told of many faults.',
  count: 1_000,
  run,
};
