/** One run of a template for a caller: rights on all that it reaches, what it nests, requests, usage. */
import { GatewayError } from '../../proto/errors.ts';
import type { Json, JsonObject } from '../../proto/json.ts';
import { parseOrdered } from '../../proto/parse-ordered.ts';
import { demand } from '../access/access.ts';
import type { Context } from '../context.ts';
import { Budget } from '../language/expressions/index.ts';
import { effectiveLevel, reaches } from '../levels.ts';
import { inPieces } from '../limits/heavy-work.ts';
import { Meter } from '../limits/meter.ts';
import { type Known, type Outcome, outcomeOf } from '../outcome.ts';
import { loadReach } from '../reach/load.ts';
import type { Reach } from '../reach/reach.ts';
import { type Template, templateNotFound, versionNotFound } from '../templates/access.ts';
import type { Compiled, Run } from '../templates/compiled.ts';
import { countRun } from '../templates/usage/count.ts';
import { RunResults } from './gather.ts';
import { keptOutput } from './template-outputs.ts';
import { sending } from './template-requests.ts';
import { readAll, readEarly } from './template-versions.ts';
import { wholeRun } from './transactions/whole-run.ts';

const decoder = new TextDecoder();

/** What a run is given. */
export interface TemplateCall {
  /** The version in force, when left out. */
  readonly version?: string | undefined;
  /** As it was written. */
  readonly input: Json;
  /** The input's own bytes, for templates that want each number's text. */
  readonly written?: Uint8Array | undefined;
  readonly parameters: JsonObject;
  /** Whether they are in a query string. */
  readonly parametersAreTexts: boolean;
  /** A workflow runs it, on which Write was demanded: of the template itself Read is enough. Contract §4. */
  readonly isNested?: true;
  /** Versions of nested templates, by UUID, that count instead of those in force. */
  readonly pins?: { readonly [uuid: string]: string } | undefined;
  /** Id of the transaction over many endpoints that its requests take part in. */
  readonly transaction?: string | undefined;
  /** There, of this run. */
  readonly ticket?: string | undefined;
  /** Waits until it may go on computing, as a run of a workflow waits: that is never refused. */
  turn?(): Promise<void>;
  /** Called before each request to an endpoint. */
  sends?(): void;
}

/** A template with all that it nests, ready to run. */
export interface ReadyTemplate {
  readonly compiled: Compiled;
  readonly reach: Reach;
  readonly run: Run;
  /** Told what the run's computation costs. */
  readonly meter: Meter;
  /** Names of what runs, which say all of it: templates with their versions, endpoints with their revisions. */
  readonly versions: readonly string[];
  /** Whether the result may be another one a moment later, by itself. */
  readonly usesNow: boolean;
}

/** The output. Contract §8; §4 on rights, which are demanded before anything is answered from memory. */
export function runTemplate(
  ctx: Context,
  template: Template,
  call: TemplateCall,
): Promise<Outcome> {
  return outcomeOf((known) =>
    wholeRun(ctx, call.transaction, async (within) => {
      const ready = await readyToRun(ctx, template, { ...call, ...within }, known);
      const started = ctx.now();
      try {
        return await keptOutput(ctx, ready, call, async () => {
          const input = inputOf(ready, call);
          const output = await ready.meter.compute(() => ({
            of: ready.compiled.run(input, ready.run),
          }));
          return output.of instanceof Promise ? await output.of : output.of;
        });
      } finally {
        ready.meter.end();
        countRun(ctx, template.row, ctx.now() - started);
      }
    }),
  );
}

/**
 * The input as the template wants it.
 * @throws GatewayError BAD_REQUEST for a member that is there twice, where that matters
 */
export function inputOf(
  { compiled }: Pick<ReadyTemplate, 'compiled'>,
  { input, written }: TemplateCall,
): Json {
  if (compiled.keepsText !== true || written === undefined) return input;
  return parseOrdered(decoder.decode(written));
}

/**
 * Looks at the caller's rights on all that is reached, and reads it. In the steady state that
 * takes no trip to D1.
 * @param known gets what is demanded, and what the run's requests do
 * @param sends whether requests go to endpoints: a render only shows them
 * @throws GatewayError FORBIDDEN, TEMPLATE_NOT_FOUND, ENDPOINT_NOT_FOUND, TEMPLATE_FAILED
 */
export async function readyToRun(
  ctx: Context,
  template: Template,
  call: TemplateCall,
  known: Known,
  sends = true,
): Promise<ReadyTemplate> {
  const { row, policy } = template;
  const params = { template: row.id };
  const root = { uuid: row.uuid, version: call.version ?? row.version };
  const isPinned = call.isNested;
  const early = readEarly(ctx, root, call.pins);
  const reach = await loadReach(ctx, { ...root, isPinned }, call.pins);
  const isInForce = root.version === row.version && call.pins === undefined;
  const back = isInForce ? undefined : reach.wayBackTo(row);
  if (back !== undefined) {
    throw new GatewayError(
      'TEMPLATE_FAILED',
      `Version ${root.version} of ${row.id} would never end: ${back} nests ${row.id} by now`,
    );
  }
  if (sends) {
    if (!isPinned && !isInForce) demandInForce(template, reach, known);
    known.demands.push(...reach.demandRun({ id: row.id, policy }, isPinned === true));
    // A commit demands it again.
    if (call.transaction !== undefined)
      known.demands.push(demand({ held: effectiveLevel(policy), policy, params }, 'Read'));
  } else {
    known.demands.push(...reach.demandNested());
  }
  const read = await readAll(ctx, reach, { ...root, id: row.id }, early);
  const compiled = read.get(row.uuid);
  if (!compiled) throw versionNotFound(row.id, root.version);
  const { TEMPLATE_BUDGETS } = ctx.settings;
  const { fuel, depth, output_bytes: outputBytes } = TEMPLATE_BUDGETS;
  const budget = new Budget({ fuel, depth, outputBytes }, ctx.now());
  const meter = new Meter(ctx, budget, call.turn);
  return {
    compiled,
    reach,
    meter,
    versions: [
      ...reach.templates.map(({ uuid, version }) =>
        uuid === root.uuid ? `${uuid}:${root.version}` : `${uuid}:${version}`,
      ),
      ...reach.endpoints.map(({ uuid, revision }) => `${uuid}:${revision}`),
      // What one door made is never told by another, nor to callers in their own right.
      ...[...reach.doors].map(([uuid, author]) => `door:${uuid}:${author}`),
    ],
    usesNow: [...read.values()].some(({ usesNow }) => usesNow),
    run: {
      budget,
      parameters: call.parameters,
      parametersAreTexts: call.parametersAreTexts,
      signal: ctx.signal,
      inPieces: (pieces) => meter.pause(() => inPieces(ctx, pieces, { isBegun: true })),
      nested: (id) => found(read.get(reach.template(id)?.uuid ?? ''), id),
      ...sending(ctx, { reach, call, known, meter, results: new RunResults() }, reach.begin),
    },
  };
}

/** A door's own version is the only one that it opens for callers. Spec: keys-and-doors.md §2. @throws GatewayError FORBIDDEN */
function demandInForce({ row, policy }: Template, reach: Reach, known: Known): void {
  if (reach.root?.isDoorInForce !== true) return;
  const held = effectiveLevel(policy);
  if (!reaches(held, 'Admin')) {
    const message = `Template ${row.id} runs with its author's rights: below Admin only its version in force can be run`;
    const details = [{ rule: 'run_as', level: held, needed: 'Admin' }];
    throw new GatewayError('FORBIDDEN', message, { details });
  }
  known.demands.push(demand({ held, policy, params: { template: row.id } }, 'Admin'));
}

function found(compiled: Compiled | undefined, id: string): Compiled {
  if (compiled) return compiled;
  throw templateNotFound(id);
}

/** A run that did not end in time. */
export function interrupted(): GatewayError {
  return new GatewayError(
    'OUTCOME_UNKNOWN',
    'The run was interrupted: what it sent to endpoints may have taken effect',
  );
}
