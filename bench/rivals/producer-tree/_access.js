/** Says whether the framework checks the token of a command. Otherwise the class does, by hand. Set before the tree is read. */
export const access = { isByFramework: false }
