/** The suite of every driver against a real Redis. */
import { describeDriver } from '../contract.ts';
import { redisContract } from './contract-case.ts';

describeDriver(...redisContract);
