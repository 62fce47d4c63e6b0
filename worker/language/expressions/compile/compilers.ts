/** What a compilation is made with: the compilers of nodes of any kind. */
import type { Compilers } from './code.ts';
import { expression } from './expression.ts';
import { functionValue } from './function.ts';
import { statement } from './statement.ts';

export const COMPILERS: Compilers = { expression, statement, functionValue };
