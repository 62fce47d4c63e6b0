/** All expensive operations that are measured, by their names. */
import { accountOperations } from './account-operations.ts';
import { backendOperations } from './backend-operations.ts';
import { hookOperations } from './hook-operations.ts';
import { jsonOperations } from './json-operations.ts';
import { keptRunOperations } from './kept-run-operations.ts';
import type { Operation } from './operation.ts';
import { runOperations } from './run-operations.ts';
import { templateOperations } from './template-operations.ts';

export const operations: readonly Operation[] = [
  ...jsonOperations,
  ...templateOperations,
  ...backendOperations,
  ...accountOperations,
  ...hookOperations,
  ...runOperations,
  ...keptRunOperations,
];
