/** Suites whose vectors are part of this repository: tests of this project run them. */
import { join } from 'node:path';
import { ROOT } from '../../server/bundle.ts';
import { toolEnvironment } from '../../server/tools.ts';
import crudNotRun from '../mongodb-crud/not-run.json' with { type: 'json' };
import { runProgram } from './run-program.ts';
import type { Suite } from './suite.ts';
import { differencesOf } from './verdict.ts';

interface Vectors {
  readonly compares: string;
  readonly cases: string;
  /** Test files that run them. */
  readonly files: readonly string[];
  /** The tests themselves hold that each listed case differs, and no other. */
  readonly holdsList?: true;
  /** Cases that are not run, by reason. */
  readonly notRun?: () => Readonly<Record<string, number>>;
}

function suiteOf(name: string, { compares, cases, files, holdsList, notRun }: Vectors): Suite {
  return {
    compares,
    cases,
    async run({ shutdown }) {
      const args = (report: string) => [
        'run',
        '--reporter=default',
        '--reporter=junit',
        `--outputFile.junit=${report}`,
        ...files,
      ];
      const command = join(ROOT, 'node_modules/.bin/vitest');
      const program = { command, args, cwd: ROOT, env: toolEnvironment() };
      const outcome = await runProgram(name, program, shutdown);
      const listed = holdsList ? (await differencesOf(name)).flatMap((each) => each.cases) : [];
      const differing = new Map([
        ...outcome.differing,
        ...listed.map((each) => [each, 'listed'] as const),
      ]);
      return { ...outcome, differing, ...(notRun ? { figures: notRun() } : {}) };
    },
  };
}

function notRunOfCrud(): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.values(crudNotRun).map(({ reason, tests }) => [
      `not run: ${reason}`,
      Object.values(tests).flat().length,
    ]),
  );
}

/** By name. */
export const vectorSuites: Readonly<Record<string, Suite>> = {
  jsonpath: suiteOf('jsonpath', {
    compares: 'paths of all operations with RFC 9535: values and normalized paths',
    cases: 'jsonpath-compliance-test-suite, test/conformance/jsonpath (BSD 2-Clause)',
    files: ['worker/language/paths/conformance.test.ts'],
  }),
  'json-schema': suiteOf('json-schema', {
    compares: 'schemas with drafts 2020-12 and 7; one case for each file of the suite',
    cases: 'JSON-Schema-Test-Suite, test/conformance/json-schema (MIT)',
    files: ['worker/language/schemas/conformance.test.ts'],
  }),
  bson: suiteOf('bson', {
    compares: 'Extended JSON of the kind mongo, both ways; one case for each file and direction',
    cases: 'mongodb/specifications, test/conformance/bson-corpus (CC BY-NC-SA 3.0)',
    files: ['node-relay/drivers/mongo/corpus.test.ts'],
    holdsList: true,
  }),
  'mongodb-crud': suiteOf('mongodb-crud', {
    compares: 'operations of the kind mongo with the drivers’ unified tests, against a server',
    cases: 'mongodb/specifications, test/conformance/mongodb-crud (CC BY-NC-SA 3.0)',
    files: ['test/mongodb-crud.test.ts'],
    notRun: notRunOfCrud,
  }),
  jose: suiteOf('jose', {
    compares: 'tokens of identity providers and of our own with adversarial and RFC 7520 vectors',
    cases: 'wycheproof, ietf-jose/cookbook, test/conformance/jose (Apache 2.0, Unlicense)',
    files: ['worker/access/external/conformance.test.ts', 'worker/auth/forged.test.ts'],
    holdsList: true,
  }),
  'openapi-linters': suiteOf('openapi-linters', {
    compares:
      'the OpenAPI document with the rules of Redocly and Spectral, and with OpenAPI itself',
    cases:
      'npm: @redocly/openapi-core, @stoplight/spectral-rulesets, @seriousme/openapi-schema-validator',
    files: ['test/openapi/document.test.ts'],
  }),
};
