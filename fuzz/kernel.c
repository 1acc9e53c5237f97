/* libFuzzer around the compiled kernels: see kernel.sh, which builds and runs it.
 *
 * Python is embedded only to call them, by fuzz/kernel_target.py. The input is handed over as memory of exactly its
 * size, so that AddressSanitizer sees the first byte beyond it.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static PyObject *target;

static void fail(void)
{
    PyErr_Print();
    abort(); /* libFuzzer keeps the input */
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    PyObject *module;
    PyConfig config;
    const char *python = getenv("KAFKAWIRE_FUZZ_PYTHON"); /* the environment's interpreter: its packages are found by it */
    (void)argc;
    (void)argv;
    PyConfig_InitPythonConfig(&config);
    config.install_signal_handlers = 0;
    if (python != NULL && PyStatus_Exception(PyConfig_SetBytesString(&config, &config.executable, python)))
        abort();
    if (PyStatus_Exception(Py_InitializeFromConfig(&config)))
        abort();
    PyConfig_Clear(&config);
    module = PyImport_ImportModule("fuzz.kernel_target");
    if (module == NULL || (target = PyObject_GetAttrString(module, "feed")) == NULL)
        fail();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    PyObject *result, *view = PyMemoryView_FromMemory((char *)data, (Py_ssize_t)size, PyBUF_READ);
    if (view == NULL || (result = PyObject_CallOneArg(target, view)) == NULL)
        fail();
    else
        Py_DECREF(result);
    Py_XDECREF(view);
    return 0;
}
