/** The suite of every driver against a real ClickHouse. */
import { describeDriver } from '../contract.ts';
import { clickhouseContract } from './contract-case.ts';

describeDriver(...clickhouseContract);
