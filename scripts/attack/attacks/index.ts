/** The list of all attacks. */
import type { Attack } from '../suite.js';
import { addressPaths } from './address-paths.js';
import { badAddresses } from './bad-addresses.js';
import { brokenStore } from './broken-store.js';
import { challenges } from './challenges.js';
import { cutFiles } from './cut-files.js';
import { cutIndex } from './cut-index.js';
import { dearRequests } from './dear-requests.js';
import { earlyLeavers } from './early-leavers.js';
import { freeAccounts } from './free-accounts.js';
import { fullLog } from './full-log.js';
import { heavyRequests } from './heavy-requests.js';
import { hostileNodes, wordyRefusals } from './hostile-nodes.js';
import { largeRequests } from './large-requests.js';
import { linkPreviews } from './link-previews.js';
import { longLists } from './long-lists.js';
import { noCaps } from './no-caps.js';
import { oddQuestions } from './odd-questions.js';
import { overload } from './overload.js';
import { ownDecisions } from './own-decisions.js';
import { pdfQueue } from './pdf-queue.js';
import { pipelinedFlood } from './pipelined-flood.js';
import { rawRequests } from './raw-requests.js';
import { savedFlood } from './saved-flood.js';
import { sigterm } from './sigterm.js';
import { testedAttacks } from './tested.js';
import { unreadAnswers } from './unread-answers.js';
import { unreadLog } from './unread-log.js';

export const ATTACKS: readonly Attack[] = [
  longLists,
  largeRequests,
  badAddresses,
  oddQuestions,
  addressPaths,
  linkPreviews,
  savedFlood,
  noCaps,
  brokenStore,
  cutIndex,
  cutFiles,
  fullLog,
  sigterm,
  freeAccounts,
  ownDecisions,
  heavyRequests,
  pdfQueue,
  wordyRefusals,
  hostileNodes,
  dearRequests,
  overload,
  pipelinedFlood,
  earlyLeavers,
  rawRequests,
  unreadAnswers,
  unreadLog,
  challenges,
  ...testedAttacks,
];
