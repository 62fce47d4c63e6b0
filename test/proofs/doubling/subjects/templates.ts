/** Definitions of templates and workflows, and values for their placeholders. */

import { kindNamed } from '../../../../kinds/index.ts';
import type { Json } from '../../../../proto/json.ts';
import { readDataAccess } from '../../../../worker/templates/data-access/index.ts';
import {
  STATEMENT_KINDS,
  type StatementKind,
  spansOf,
} from '../../../../worker/templates/data-access/literals.ts';
import { piecesOf } from '../../../../worker/templates/data-access/pieces.ts';
import { partsOf } from '../../../../worker/templates/data-access/placeholder.ts';
import { FORMATS, isOfFormat } from '../../../../worker/templates/transformation/formats.ts';
import { readTransformation } from '../../../../worker/templates/transformation/index.ts';
import { refusePaths } from '../../../../worker/workflows/definition/statement-paths.ts';
import { type Subject, text, value } from '../subject.ts';

/** A definition is no longer. */
const DEFINITION_MAX = 1_048_576;

function dataAccess(kind: string, template: { [name: string]: Json }) {
  return readDataAccess(
    {
      id: 'a',
      name: 'a',
      description: '',
      version: '1.0.0',
      request: 'Read',
      template: { endpoint: 'e', ...template },
    } as never,
    () => kindNamed(kind),
  );
}

function transformation(rules: readonly Json[], more: { [name: string]: Json } = {}) {
  return readTransformation({
    name: 'a',
    description: '',
    version: '1.0.0',
    transformationRules: rules,
    ...more,
  } as never);
}

export const TEMPLATES: readonly Subject[] = [
  ...STATEMENT_KINDS.flatMap((kind: StatementKind) => [
    text(
      `literals of ${kind}`,
      ['worker/templates/data-access/literals.ts'],
      (each) => spansOf(kind, each),
      DEFINITION_MAX,
    ),
    text(
      `paths within a statement of ${kind}`,
      ['worker/workflows/definition/statement-paths.ts'],
      (each) => refusePaths(kind, { query: each.replaceAll('a', " '$.input.a' ") }, '', []),
      DEFINITION_MAX,
    ),
    text(
      `pieces of a statement of ${kind}`,
      ['worker/templates/data-access/pieces.ts', 'worker/templates/data-access/placeholder.ts'],
      (each) => piecesOf(kind, partsOf(each).parts),
      DEFINITION_MAX,
    ),
    text(
      `a template with a statement of ${kind}`,
      ['worker/templates/data-access'],
      (each) => dataAccess(kind, { query: each, params: [1] }),
      DEFINITION_MAX,
    ),
    text(
      `a template with many placeholders of ${kind}`,
      ['worker/templates/data-access'],
      (each) => dataAccess(kind, { query: each.replaceAll('a', ' {{x}} ') }),
      DEFINITION_MAX,
    ),
  ]),
  text('placeholders', ['worker/templates/data-access/placeholder.ts'], partsOf, DEFINITION_MAX),
  text(
    'a placeholder',
    ['worker/templates/data-access/placeholder.ts'],
    (each) => partsOf(`{{${each}}}`),
    DEFINITION_MAX,
  ),
  ...['mongo', 'redis', 'http', 'pinecone', 'postgres'].map((kind) =>
    value(
      `a template of ${kind}`,
      ['worker/templates/data-access'],
      (each) =>
        dataAccess(kind, {
          type: kind === 'http' ? 'request' : 'find',
          collection: 'c',
          filter: each,
          args: [each],
          body: each,
          path: '/',
          method: 'POST',
        }),
      DEFINITION_MAX,
    ),
  ),
  text(
    'a name in a template of mongo',
    ['worker/templates/data-access'],
    (each) => dataAccess('mongo', { type: 'find', collection: 'c', filter: { [each]: 1 } }),
    DEFINITION_MAX,
  ),
  value(
    'a transformation',
    ['worker/templates/transformation'],
    (each) => transformation(Array.isArray(each) ? each : [each]),
    DEFINITION_MAX,
  ),
  value(
    'rules of a transformation',
    ['worker/templates/transformation'],
    (each) =>
      transformation(
        (Array.isArray(each) ? each : [each]).map((one, at) => ({
          target: `a${at}`,
          source: typeof one === 'string' ? one : 'b',
          value: one,
        })),
      ),
    DEFINITION_MAX,
  ),
  value(
    'an input schema of a transformation',
    ['worker/templates/transformation'],
    (each) => transformation([], { inputSchema: each, outputSchema: each }),
    DEFINITION_MAX,
  ),
  ...FORMATS.map((format) =>
    text(`the format ${format}`, ['worker/templates/transformation/formats.ts'], (each) =>
      isOfFormat(each, format),
    ),
  ),
];
