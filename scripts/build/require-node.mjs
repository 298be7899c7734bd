/**
 * Ends the process with one sentence when Node.js is too old. The entry programs import this module first: the modules after it use
 * features that an older Node.js lacks.
 */
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`hubledger needs Node.js 20.19 or later; this is Node.js ${process.versions.node}`);
  process.exit(1);
}
