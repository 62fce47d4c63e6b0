/** Holds schemas against the meta-schema of their draft, each without those in it. */
import type { CompiledSchema } from '@hyperjump/json-schema/experimental';
import type { Json } from '../../../proto/json.ts';
import { type Pieces, undivided, whole } from '../../../proto/work/pieces.ts';
import { build } from './build.ts';
import { checkInPieces } from './check.ts';
import type { Dialect } from './dialect.ts';
import { type Fault, Faults } from './faults.ts';
import draft7 from './meta/draft-07.json' with { type: 'json' };
import draft2020 from './meta/draft-2020-12.json' with { type: 'json' };
import { Resources } from './resource.ts';

/** The meta-schemas of both drafts with all they consist of, by their URIs. */
export const META_SCHEMAS: ReadonlyMap<string, Json> = new Map(
  [...draft2020, ...draft7].map((document) => [document.$id.replace(/#$/, ''), document]),
);

const ROOTS: Readonly<Record<Dialect['draft'], Json>> = {
  '2020-12': draft2020[0] ?? true,
  '7': draft7[0] ?? true,
};

/** Built when they are first needed; shared by all. */
const built = new Map<Dialect['draft'], CompiledSchema>();

/** What is wrong with one schema; what is wrong with those in it is left out. */
export function* faultsOfSchema(schema: Json, { draft }: Dialect): Pieces<readonly Fault[]> {
  const metaSchema = built.get(draft) ?? buildMetaSchema(draft);
  built.set(draft, metaSchema);
  return yield* checkInPieces(metaSchema, schema);
}

function buildMetaSchema(draft: Dialect['draft']): CompiledSchema {
  const faults = new Faults('');
  const reading = { documents: META_SCHEMAS, faults, check: () => undivided(() => []) };
  const resources = whole(Resources.read(ROOTS[draft], reading));
  const { compiled } = whole(build(resources, faults, { isShallow: true }));
  faults.throwIfAny();
  return compiled;
}

/** Every keyword of either draft. */
export const KEYWORDS: ReadonlySet<string> = new Set(
  [...draft2020, ...draft7].flatMap(({ properties }) => Object.keys(properties)),
);
