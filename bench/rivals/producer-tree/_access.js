/** Who checks the token of a command: the class by hand, or the framework. Set before the tree is read. */
export const access = { isByFramework: false }
