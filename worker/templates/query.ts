/** The query string of runs and renders: a version, parameters, and whether to wait. */
import * as z from 'zod';
import { type JsonObject, setMember } from '../../proto/json.ts';
import { VersionQuery } from './schema.ts';

/** What is before a parameter's name. Contract §8: `?parameters.rate=5`. */
const PREFIX = 'parameters.';

/** Members besides those named are parameters. */
function demandParameters(query: Readonly<Record<string, unknown>>, context: z.RefinementCtx) {
  for (const name of Object.keys(query)) {
    const isKnown = ['version', 'async', 'parameters'].includes(name);
    if (isKnown || (name.startsWith(PREFIX) && name !== PREFIX)) continue;
    context.addIssue({
      code: 'custom',
      path: [name],
      message: 'is no parameter of this operation: one of the template is `parameters.<name>`',
    });
  }
}

const Parameters = z
  .record(z.string(), z.string(), 'is written as parameters.<name>=<value>, one for each')
  .optional()
  .meta({
    description:
      'Parameters of the template, each as `parameters.<name>=<value>`, read by its declared type',
    examples: [{ 'parameters.rate': '0.07' }],
  });

/** Of a render. */
export const RenderQuery = z
  .object({ ...VersionQuery.shape, parameters: Parameters })
  .catchall(z.string())
  .superRefine(demandParameters);
export type RenderQuery = z.infer<typeof RenderQuery>;

/** Of a run. */
export const RunQuery = z
  .object({
    ...VersionQuery.shape,
    async: z
      .enum(['true', 'false'])
      .optional()
      .meta({
        description: 'Answers 202 at once and lets the run go on, as `Prefer: respond-async` does',
        examples: ['true'],
      }),
    parameters: Parameters,
  })
  .catchall(z.string())
  .superRefine(demandParameters);
export type RunQuery = z.infer<typeof RunQuery>;

/** The parameters that a query string gives, as texts. */
export function parametersIn(query: Readonly<Record<string, unknown>>): JsonObject {
  const parameters: JsonObject = {};
  for (const [name, value] of Object.entries(query)) {
    if (!name.startsWith(PREFIX) || typeof value !== 'string') continue;
    setMember(parameters, name.slice(PREFIX.length), value);
  }
  return parameters;
}

/** Whether a `Prefer` header asks not to wait. RFC 7240 §4.1. */
export function prefersAsync(header: string | undefined): boolean {
  const preferences = header?.toLowerCase().split(',') ?? [];
  return preferences.some((each) => each.split(';')[0]?.trim() === 'respond-async');
}
