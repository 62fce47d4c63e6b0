/** The suite of every driver against a real server that speaks MongoDB's protocol. */
import { describeDriver } from '../contract.ts';
import { mongoContract } from './contract-case.ts';

describeDriver(...mongoContract);
