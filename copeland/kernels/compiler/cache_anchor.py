"""numba keeps compiled kernels beside this file, in the folder for bytecode.

numba throws away what it compiled of a function once the function's file changes. So kernels are compiled as if they stood
here, in a file that never changes: the digest in a kernel's name says whether its own code did.
"""
