/** Expressions, functions and patterns as callers write them. */
import { type Subject, text } from '../../../test/proofs/doubling/subject.ts';
import { compileExpression, compileFunctions } from '../../expressions/index.ts';
import { compiled as compiledPattern } from '../../expressions/regex/pattern.ts';
import { toLinear } from '../../expressions/regex/translate.ts';

/** Of expressions. */
export const EXPRESSIONS: readonly Subject[] = [
  text(
    'an expression',
    ['worker/expressions/parse.ts', 'worker/expressions/compile'],
    (each) => compileExpression(each, { names: ['$'], members: '$' }),
    65_536,
  ),
  text(
    'an expression in brackets',
    ['worker/expressions/parse.ts'],
    (each) => compileExpression(`[${each}]`, { names: ['$'], members: '$' }),
    65_536,
  ),
  text(
    'a function',
    ['worker/expressions/functions.ts', 'worker/expressions/compile'],
    (each) => compileFunctions({ f: `(a) => { ${each} }` }),
    65_536,
  ),
  text(
    'functions',
    ['worker/expressions/functions.ts'],
    (each) => compileFunctions({ f: each, g: '() => f()' }),
    65_536,
  ),
  text(
    'a regular expression',
    ['worker/expressions/regex/pattern.ts', 'worker/expressions/regex/translate.ts'],
    (each) => [toLinear(each, { captures: true }), compiledPattern(each, 'g')],
  ),
];
