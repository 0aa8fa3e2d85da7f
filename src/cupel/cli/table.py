"""The commands: the question that each asks, and the function that answers and prints it.

Both are imported when the command is asked for. Such a function takes the question and returns the
exit status, or nothing for 0.
"""

COMMANDS = {
    "score": ("score:Score", "score:run"),
    "merge": ("merge:Merge", "merge:run"),
    "meta": ("judge:Judge", "meta:run"),
    "metrics": ("metrics:Metrics", "metrics:run"),
    "models list": ("models:ModelsList", "models:show"),
    "models get": ("models:ModelsGet", "models:get"),
    "models verify": ("models:ModelsVerify", "models:verify"),
    "mutt": ("mutt:UnitTest", "mutt:run"),
    "diagnose": ("diagnose:Diagnose", "diagnose:run"),
    "align": ("align:Align", "align:run"),
    "mbr": ("mbr:Mbr", "mbr:run"),
    "rerank": ("rerank:Rerank", "rerank:run"),
    "parse": ("parse:Parse", "parse:run"),
    "serve": ("serve:Serve", "serve:run"),
    "report": ("report:Report", "report:run"),
    "reproduce": ("reproduce:Reproduce", "reproduce:run"),
    "again": ("again:Again", "again:run"),
    "train assay": ("train_assay:TrainAssay", "train_assay:run"),
    "train reval": ("train_reval:TrainReval", "train_reval:run"),
    "train nnrk": ("train_nnrk:TrainNnrk", "train_nnrk:run"),
    "tune": ("tune:Tune", "tune:run"),
    "demo": ("demo:Demo", "demo:run"),
    "plan": ("plan:PlanTest", "plan:run"),
    "select": ("select:Select", "select:run"),
    "annotate": ("annotate:Annotate", "annotate:run"),
    "human import": ("human:ImportHuman", "human:import_"),
    "human agreement": ("human:HumanAgreement", "human:agreement"),
    "data": ("data:Data", "data:show"),
    "data list": ("data:ListData", "data:show"),
    "data get": ("data:GetData", "data:get"),
    "data add": ("data:AddData", "data:add"),
    "data verify": ("data:VerifyData", "data:verify"),
}
"""Command -> the question, MODULE:CLASS of `cupel.questions`, and MODULE:FUNCTION of `cupel.cli`."""
ORDER = (
    "score diagnose plan merge metrics meta select annotate human mutt align mbr rerank parse data "
    "models report serve reproduce train tune again demo"
).split()
"""The first words of all commands, in the order of `cupel --help`."""
