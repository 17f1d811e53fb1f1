/** Gives the classes of this tree the API description. */
export const open = ({ describe }: { describe: () => object }) => ({ describe })
