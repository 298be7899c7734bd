/**
 * Ends the process if the version of Node.js is too old. Programs import this module first, because other modules use
 * newer features.
 */
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`hubledger needs Node.js 20.19 or later; this is Node.js ${process.versions.node}`);
  process.exit(1);
}
